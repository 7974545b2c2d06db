// A piece of content, by its type and slug.

import { useParam } from '../app/router.tsx';
import { ArticleView } from '../content/article.tsx';

export function Page() {
  const type = useParam('type');
  const slug = useParam('slug');
  return <ArticleView key={`${type}/${slug}`} type={type} slug={slug} />;
}
