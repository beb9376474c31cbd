// The frame of every page: bar, kinds at the side, the page itself.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { user } from '../credentials.ts';
import { findKind, kinds } from '../discovery.ts';
import { activeKeys, useKeys } from '../keys.ts';
import { ListPage } from '../lists/list-page.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { RequestsPage } from '../requests/requests-page.tsx';
import { follow, go, homeAddress, pageAddress, route } from '../router.ts';
import { signOut } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Home } from './home.tsx';
import { KindList } from './kind-list.tsx';
import { lazyPage } from './lazy.tsx';
import { Palette } from './palette.tsx';
import { SignIn } from './sign-in.tsx';
import { nextTheme } from './theme.ts';

const AccessPage = lazyPage(async () => (await import('../access/access-page.tsx')).AccessPage);
const PoliciesPage = lazyPage(async () => (await import('../policies/policies-page.tsx')).PoliciesPage);
const ServerPage = lazyPage(async () => (await import('../server/server-page.tsx')).ServerPage);
const ListHistory = lazyPage(async () => (await import('../history/list-history.tsx')).ListHistory);

type Overlay = 'palette' | 'help' | undefined;

const overlay = signal<Overlay>(undefined);
const open = (name: Overlay) => {
  overlay.value = name;
};

const keys = [
  { keys: [':'], help: 'Jump to a kind', run: () => open('palette') },
  { keys: ['?'], help: 'Show the keys of this page', run: () => open('help') },
  { keys: ['Escape'], help: 'Go back', run: () => history.back() },
  { keys: ['h'], help: 'Go to the first page', run: () => go(homeAddress) },
];

export function App() {
  if (user.value === undefined) return <output class="loading">Loading…</output>;
  return user.value === null ? <SignIn /> : <Signed />;
}

function Signed() {
  useKeys(keys);
  const close = () => open(undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: links inside keep their role; this only spares a reload
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser sends a click for Enter on a link
    <div class="frame" onClick={follow}>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <Bar />
      <KindList />
      <main id="page" tabIndex={-1}>
        <Page />
      </main>
      {overlay.value === 'palette' && <Palette onClose={close} />}
      {overlay.value === 'help' && <Help onClose={close} />}
    </div>
  );
}

/** Pages about the server, in the order of the bar. */
const serverPages = [
  { name: 'requests', title: 'Requests', Shown: RequestsPage },
  { name: 'access', title: 'Access', Shown: AccessPage },
  { name: 'policies', title: 'Policies', Shown: PoliciesPage },
  { name: 'server', title: 'Server', Shown: ServerPage },
] as const;

function Bar() {
  return (
    <header class="bar">
      <a class="brand" href={homeAddress}>
        Keelson
      </a>
      <button type="button" class="jump" onClick={() => open('palette')}>
        Jump to a kind <kbd>:</kbd>
      </button>
      <nav class="pages" aria-label="Server">
        {serverPages.map(({ name, title }) => (
          <a key={name} href={pageAddress(name)} aria-current={route.value.parts[0] === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <span class="space" />
      <span class="user" title={user.value?.groups?.join('\n') ?? ''}>
        {user.value?.username}
      </span>
      <button type="button" class="quiet" onClick={nextTheme} aria-label="Change between light and dark">
        ◐
      </button>
      <button type="button" class="quiet" onClick={() => open('help')} aria-label="Keys">
        ?
      </button>
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </header>
  );
}

function Page() {
  const [page = '', group = '', version = '', plural = '', namespace = '', name = ''] = route.value.parts;
  const kind = findKind(group === 'core' ? '' : group, version, plural);
  useEffect(() => {
    document.title = [name || plural || page, 'Keelson'].filter(Boolean).join(' · ');
  }, [name, plural, page]);
  if (page === '') return <Home />;
  const serverPage = serverPages.find((one) => one.name === page);
  if (serverPage !== undefined) return <serverPage.Shown />;
  if (page === 'list' && kind !== undefined) return <ListPage key={plural + group} kind={kind} />;
  if (page === 'history' && kind !== undefined) return <ListHistory key={plural + group} kind={kind} />;
  if (page === 'object' && kind !== undefined) {
    const place = namespace === '-' ? '' : namespace;
    return <ObjectPage key={`${plural}.${group}/${place}/${name}`} kind={kind} namespace={place} name={name} />;
  }
  return (
    <section class="empty">
      <h1>Nothing here</h1>
      <p>{kinds.value.length === 0 ? 'The server shows no kinds.' : 'The server has no page with this address.'}</p>
    </section>
  );
}

function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {activeKeys().map(({ keys: names, help }) => (
          <div key={help}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{shownKeys[name] ?? name}</kbd>
              ))}
            </dt>
            <dd>{help}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const shownKeys: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ' ': 'Space',
  Escape: 'Esc',
};
