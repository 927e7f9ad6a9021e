/**
 * The browser and system that a `User-Agent` header names, such as "Firefox on Windows". Enough for
 * people to recognize their devices; browsers pretend to be each other, so the order matters.
 */
export function describeUserAgent(text: string): string {
  const browser = firstMatch(browsers, text);
  const system = firstMatch(systems, text);
  if (browser === undefined) return text.split(/[/ ]/)[0] || 'Unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}

type Names = readonly (readonly [RegExp, string])[];

const browsers: Names = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: Names = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

function firstMatch(names: Names, text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1];
}
