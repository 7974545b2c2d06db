// A site of three kinds of pages, with fetch alone: the list of the articles, an article, and "not found". It reads what a workspace has
// published. `?api=` is the address of the server, `?workspace=` the workspace, and `?key=` a read key if its content is not public.

const asked = new URLSearchParams(location.search);
const api = (asked.get('api') ?? 'http://127.0.0.1:4400').replace(/\/+$/, '');
const content = `${api}/api/v1/content/${encodeURIComponent(asked.get('workspace') ?? 'default')}`;
const headers = asked.has('key') ? { authorization: `Bearer ${asked.get('key')}` } : {};
const main = document.querySelector('main');

async function read(path) {
  const response = await fetch(`${content}/${path}`, { headers });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.json();
}

async function showList() {
  const items = [];
  for (let after = ''; after !== null;) {
    const page = await read(
      `articles?fields=slug,title,fields.description&limit=100${after && `&after=${after}`}`,
    );
    items.push(...page.items);
    after = page.next;
  }
  document.title = 'A site';
  if (items.length === 0) return main.replaceChildren(paragraph('Nothing is published yet.'));
  const list = document.createElement('ul');
  for (const { slug, title, fields } of items) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = `#/articles/${slug}`;
    link.textContent = title;
    item.append(link, paragraph(fields.description ?? '', 'about'));
    list.append(item);
  }
  main.replaceChildren(headingOf('Articles'), list);
}

async function showArticle(type, slug) {
  const piece = await read(`${encodeURIComponent(type)}/${encodeURIComponent(slug)}`);
  document.title = piece?.title ?? 'Not found';
  if (!piece) return main.replaceChildren(paragraph('There is no such page.'));
  const article = document.createElement('article');
  const body = document.createElement('div');
  // The server has sanitised it.
  body.innerHTML = piece.html;
  for (const link of body.querySelectorAll('a[href^="/"]'))
    link.href = link.getAttribute('href').startsWith('/api/')
      ? api + link.getAttribute('href')
      : `#${link.getAttribute('href')}`;
  for (const image of body.querySelectorAll('img[src^="/"]')) image.src = api + image.getAttribute('src');
  article.append(headingOf(piece.title), body);
  main.replaceChildren(article);
}

function headingOf(text) {
  const made = document.createElement('h1');
  made.textContent = text;
  return made;
}

function paragraph(text, className = '') {
  const made = document.createElement('p');
  made.className = className;
  made.textContent = text;
  return made;
}

async function show() {
  const [, type, slug] = /^#\/([^/]+)\/([^/]+)$/.exec(location.hash) ?? [];
  try {
    await (slug === undefined ? showList() : showArticle(decodeURIComponent(type), decodeURIComponent(slug)));
  } catch (error) {
    main.replaceChildren(paragraph(`The content cannot be read: ${error.message}`));
  }
}

addEventListener('hashchange', () => void show());
await show();
