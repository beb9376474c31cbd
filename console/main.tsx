// The web console: starts in the browser.

import { render } from 'preact';
import { start } from './session.ts';
import { App } from './shell/app.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
render(<App />, document.getElementById('app') as HTMLElement);
void start();
