/** Follows redirects like a browser: across sites, with the cookies of each. */
export interface RedirectBrowser {
  /** Follows redirects from a URL until a page, or until a URL for which `stopAt` is true. */
  open(url: string, stopAt?: (url: string) => boolean): Promise<OpenedPage>;
  /** The value of a cookie for a site; undefined if there is none. */
  cookie(origin: string, name: string): string | undefined;
  setCookie(origin: string, name: string, value: string): void;
  /** The `Cookie` header for a site. */
  cookiesFor(origin: string): string;
}

export interface OpenedPage {
  /** The URL of the page, or the one at which `stopAt` stopped. */
  readonly url: string;
  /** Undefined if `stopAt` stopped. */
  readonly response: Response | undefined;
}

const redirectsMax = 20;

export function createRedirectBrowser(): RedirectBrowser {
  const jar = new Map<string, Map<string, string>>();
  const cookiesOf = (origin: string) => {
    const cookies = jar.get(origin) ?? new Map<string, string>();
    jar.set(origin, cookies);
    return cookies;
  };
  const cookiesFor = (origin: string) =>
    Array.from(cookiesOf(origin), ([name, value]) => `${name}=${value}`).join('; ');

  function store(origin: string, setCookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
    const expires = /expires=([^;]+)/i.exec(setCookie)?.[1];
    const isDeleted =
      /max-age=0/i.test(setCookie) || (expires !== undefined && Date.parse(expires) < Date.now());
    if (isDeleted) cookiesOf(origin).delete(name);
    else cookiesOf(origin).set(name, value);
  }

  return {
    async open(start, stopAt = () => false) {
      let url = start;
      for (let count = 0; count <= redirectsMax; count += 1) {
        if (stopAt(url)) return { url, response: undefined };
        const { origin } = new URL(url);
        const response = await fetch(url, {
          redirect: 'manual',
          headers: { cookie: cookiesFor(origin), accept: 'text/html' },
        });
        for (const setCookie of response.headers.getSetCookie()) store(origin, setCookie);
        const location = response.headers.get('location');
        if (location === null) return { url, response };
        await response.body?.cancel();
        url = new URL(location, url).href;
      }
      throw new Error(`more than ${redirectsMax} redirects, the last to ${url}`);
    },
    cookie: (origin, name) => cookiesOf(origin).get(name),
    setCookie: (origin, name, value) => void cookiesOf(origin).set(name, value),
    cookiesFor,
  };
}
