import { mount } from 'svelte';
import './shared/tokens.css';
import App from './views/App.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app to mount into');

export default mount(App, { target });
