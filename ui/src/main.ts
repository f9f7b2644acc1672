import { mount } from 'svelte';
import './shared/style/fonts.css';
import './shared/style/tokens.css';
import './shared/style/base.css';
import { App } from './app/app.svelte';
import { systemClock } from './app/clock';
import { chooseBackend } from './chooseBackend';
import { backendError } from './backend/errors';
import { copyBy } from './shared/clipboard';
import Window from './views/App.svelte';
import NotStarted from './views/NotStarted.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app to mount into');

chooseBackend(systemClock).then(
  (backend) => {
    copyBy(backend.desktop.copy);
    mount(Window, { target, props: { app: new App(backend, systemClock) } });
  },
  (thrown: unknown) => mount(NotStarted, { target, props: { message: backendError(thrown).message } }),
);
