/** The documentation, which `guides-plugin.ts` compiles. */
declare module 'virtual:guides' {
  /** A part of a document: a token of `marked` without its source. */
  export interface GuidePart {
    readonly type: string;
    readonly text?: string;
    readonly tokens?: readonly GuidePart[];
    readonly depth?: number;
    readonly id?: string;
    readonly href?: string;
    /** The language of a code block. */
    readonly lang?: string;
    /** Of a code block among the others, or of a table. */
    readonly number?: number;
    readonly ordered?: boolean;
    readonly start?: number | '';
    readonly items?: readonly GuidePart[];
    readonly header?: readonly GuidePart[];
    readonly rows?: readonly (readonly GuidePart[])[];
  }

  export interface Guide {
    /** The address below `/guides/`; empty for the first page. */
    readonly name: string;
    readonly title: string;
    /** The heading under which the first page lists it. */
    readonly section: string;
    readonly headings: readonly { readonly id: string; readonly text: string }[];
    readonly load: () => Promise<readonly GuidePart[]>;
  }

  export const guides: readonly Guide[];
}

/** The plain text of the documentation. */
declare module 'virtual:guide-sections' {
  export interface GuideSection {
    readonly name: string;
    /** The anchor of the heading; empty for what comes before the first one. */
    readonly id: string;
    /** Of the guide. */
    readonly title: string;
    readonly heading: string;
    readonly text: string;
  }

  export const sections: readonly GuideSection[];
}
