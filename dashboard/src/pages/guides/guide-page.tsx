import { guides } from 'virtual:guides';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { NotFoundPage, Page } from '../../components/page.tsx';
import { Pending } from '../../components/pending.tsx';
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
  if (guide === undefined) return <NotFoundPage />;
  const [, ...parts] = text.data ?? [];
  return (
    <Page title={guide.title} lead={name === '' ? undefined : <Link href="/guides">All guides</Link>}>
      <div className={styles.layout}>
        <GuideList current={name} />
        <article className={styles.text}>
          {isLoaded ? (
            <GuideText parts={parts} />
          ) : (
            <Pending query={text} title="Could not load the guide" lines={12} label="Loading the guide" />
          )}
        </article>
        {guide.headings.length > 1 && (
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
  );
}

/** All guides, beside the one that is open. A narrow screen links the page that lists them. */
function GuideList({ current }: { readonly current: string }) {
  const listed = guides.filter(({ name }) => name !== '');
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
