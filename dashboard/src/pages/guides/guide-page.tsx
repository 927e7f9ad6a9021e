import { guides } from 'virtual:guides';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { SearchField } from '../../components/fields.tsx';
import { NotFoundPage, Page } from '../../components/page.tsx';
import { Pending } from '../../components/pending.tsx';
import { formatCount } from '../../components/text.ts';
import { useUrlParams } from '../../components/use-url-params.ts';
import { searchGuides } from '../../features/guides/search-guides.ts';
import { guideHref, useGuideSections } from '../../features/guides/use-guide-sections.ts';
import { GuideText } from './guide-text.tsx';
import styles from './guides.module.css';

/** A document of the version that this server runs. `name` is its address below `/guides/`. */
export function GuidePage({ name }: { readonly name: string }) {
  const guide = guides.find((each) => each.name === name);
  const text = useQuery({
    queryKey: ['guide', name],
    enabled: guide !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => guide?.load() ?? [],
  });
  const isLoaded = text.data !== undefined;
  useEffect(() => {
    const { hash } = window.location;
    // The browser looked for the heading before it was there.
    if (isLoaded && hash !== '') document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [isLoaded]);
  const { value, change } = useUrlParams();
  if (guide === undefined) return <NotFoundPage />;
  const [, ...parts] = text.data ?? [];
  const q = value('q');
  return (
    <div className={styles.page}>
      <Page
        title={guide.title}
        lead={
          name === '' ? undefined : (
            <Link href="/guides" className={styles.back}>
              All guides
            </Link>
          )
        }
        actions={
          <search className={styles.search}>
            <SearchField
              label="Search the guides"
              placeholder="Search the guides"
              maxLength={200}
              q={q}
              onSearch={(next) => change({ q: next }, { replace: true })}
            />
          </search>
        }
      >
        <div className={styles.layout}>
          <GuideList current={name} />
          <details className={styles.all}>
            <summary>All guides</summary>
            <GuideList current={name} />
          </details>
          {q === '' ? (
            <article className={styles.text}>
              {isLoaded ? (
                <GuideText parts={parts} />
              ) : (
                <Pending query={text} title="Could not load the guide" lines={12} label="Loading the guide" />
              )}
              {isLoaded && name !== '' && <Neighbors name={name} />}
            </article>
          ) : (
            <FoundSections q={q} />
          )}
          {q === '' && guide.headings.length > 1 && (
            <nav className={styles.outline} aria-label="On this page">
              {guide.headings.map(({ id, text: heading }) => (
                <a key={id} href={`#${id}`}>
                  {heading}
                </a>
              ))}
            </nav>
          )}
        </div>
      </Page>
    </div>
  );
}

const listed = guides.filter(({ name }) => name !== '');

/** All guides, beside the one that is open or, on a narrow screen, above it. */
function GuideList({ current }: { readonly current: string }) {
  return (
    <nav className={styles.list} aria-label="Guides">
      {[...Map.groupBy(listed, ({ section }) => section)].map(([section, some]) => (
        <div key={section} className="stack-1">
          <h2>{section}</h2>
          {some.map(({ name, title }) => (
            <Link key={name} href={`/guides/${name}`} aria-current={name === current ? 'page' : undefined}>
              {title}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The guides before and after this one, in the order in which to read them. */
function Neighbors({ name }: { readonly name: string }) {
  const index = listed.findIndex((each) => each.name === name);
  const [previous, next] = [listed[index - 1], listed[index + 1]];
  return (
    <nav className={styles.neighbors} aria-label="Previous and next guide">
      {previous && <Link href={`/guides/${previous.name}`}>← {previous.title}</Link>}
      {next && <Link href={`/guides/${next.name}`}>{next.title} →</Link>}
    </nav>
  );
}

/** Enough to scan; typing more finds the others. */
const shownMax = 20;

/** The sections of all guides that a search finds. */
function FoundSections({ q }: { readonly q: string }) {
  const sections = useGuideSections();
  const found = useMemo(() => searchGuides(sections.data ?? [], q).slice(0, shownMax), [sections.data, q]);
  if (sections.data === undefined)
    return (
      <Pending query={sections} title="Could not load the guides" lines={12} label="Loading the guides" />
    );
  return (
    <section aria-label="Sections found">
      <p className="visually-hidden" role="status">
        {formatCount(found.length, 'section', 'sections')}
      </p>
      {found.length === 0 ? (
        <p className="muted">No guide has “{q}”.</p>
      ) : (
        <ol className={styles.found}>
          {found.map(({ section: { name, id, title, heading }, snippet }) => (
            <li key={`${name}#${id}`}>
              <Link href={guideHref(name, id)}>{heading || title}</Link>
              {heading !== '' && <span className="note"> {title}</span>}
              {snippet !== '' && <p className="muted">{snippet}</p>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
