/** Which panes are shown and how wide they are. Kept from one start to the next where that can be done. */

const KEY = 'assent.panes';
/** The middle is never narrower than this: before it is, a pane becomes narrower, and then lies over it. */
const MIDDLE = 520;
/** How narrow and how wide the panes may be. */
export const SIDEBAR = { least: 200, most: 400 };
export const INSPECTOR = { least: 300, most: 900 };
/** Below these widths of the window a pane lies over the middle even where it might stand beside it. */
const INSPECTOR_ROOM = 1100;
const SIDEBAR_ROOM = 760;

interface Kept {
  sidebar: boolean;
  inspector: boolean;
  sidebarWidth: number;
  inspectorWidth: number;
}

export class Panes {
  sidebar = $state(true);
  inspector = $state(true);
  sidebarWidth = $state(240);
  inspectorWidth = $state(400);
  /** The pane that lies over the middle at the moment. */
  drawer = $state<'sidebar' | 'inspector' | null>(null);
  /** The width of the window. */
  #window = $state(1440);
  readonly overSidebar: boolean = $derived(
    this.#window < SIDEBAR_ROOM || this.#window - SIDEBAR.least < MIDDLE,
  );
  /** How wide the sidebar may be beside the middle. */
  readonly mostSidebar: number = $derived(
    this.overSidebar ? SIDEBAR.most : between(SIDEBAR, this.#window - MIDDLE),
  );
  readonly shownSidebar: number = $derived(Math.min(this.sidebarWidth, this.mostSidebar));
  /** What the sidebar leaves for the middle and the inspector. */
  readonly #left: number = $derived(
    this.#window - (this.sidebar && !this.overSidebar ? this.shownSidebar : 0),
  );
  readonly overInspector: boolean = $derived(
    this.#window < INSPECTOR_ROOM || this.#left - INSPECTOR.least < MIDDLE,
  );
  /** How wide the inspector may be beside the middle. */
  readonly mostInspector: number = $derived(
    this.overInspector ? INSPECTOR.most : between(INSPECTOR, this.#left - MIDDLE),
  );
  readonly shownInspector: number = $derived(Math.min(this.inspectorWidth, this.mostInspector));

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>;
      this.sidebar = kept.sidebar ?? true;
      this.inspector = kept.inspector ?? true;
      this.sidebarWidth = between(SIDEBAR, Number(kept.sidebarWidth ?? 240));
      this.inspectorWidth = between(INSPECTOR, Number(kept.inspectorWidth ?? 400));
    } catch {
      // Without storage the panes are as they are the first time.
    }
  }

  measure(width: number): void {
    this.#window = width;
    if (this.drawer === 'sidebar' && !this.overSidebar) this.drawer = null;
    if (this.drawer === 'inspector' && !this.overInspector) this.drawer = null;
  }

  toggle(pane: 'sidebar' | 'inspector'): void {
    const over = pane === 'sidebar' ? this.overSidebar : this.overInspector;
    if (over) this.drawer = this.drawer === pane ? null : pane;
    else this[pane] = !this[pane];
    this.#keep();
  }

  /** Makes the inspector visible where there is room, or over the middle. */
  showInspector(): void {
    if (this.overInspector) this.drawer = 'inspector';
    else this.inspector = true;
  }

  resize(pane: 'sidebar' | 'inspector', width: number): void {
    if (pane === 'sidebar') this.sidebarWidth = width;
    else this.inspectorWidth = width;
    this.#keep();
  }

  #keep(): void {
    const { sidebar, inspector, sidebarWidth, inspectorWidth } = this;
    try {
      localStorage.setItem(
        KEY,
        JSON.stringify({ sidebar, inspector, sidebarWidth, inspectorWidth } satisfies Kept),
      );
    } catch {
      // As above.
    }
  }
}

function between({ least, most }: { least: number; most: number }, width: number): number {
  return Math.max(least, Math.min(most, Number.isFinite(width) ? width : least));
}

export const panes = new Panes();
