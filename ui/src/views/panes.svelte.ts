/** Which panes are shown and how wide they are. Kept from one start to the next where that can be done. */

const KEY = 'assent.panes';
/** Below these widths of the window a pane lies over the middle. */
const INSPECTOR_ROOM = 1100;
const SIDEBAR_ROOM = 760;

interface Kept {
  sidebar: boolean;
  inspector: boolean;
  sidebarWidth: number;
  inspectorWidth: number;
}

class Panes {
  sidebar = $state(true);
  inspector = $state(true);
  sidebarWidth = $state(240);
  inspectorWidth = $state(400);
  /** The pane that lies over the middle at the moment. */
  drawer = $state<'sidebar' | 'inspector' | null>(null);
  overSidebar = $state(false);
  overInspector = $state(false);

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>;
      this.sidebar = kept.sidebar ?? true;
      this.inspector = kept.inspector ?? true;
      this.sidebarWidth = kept.sidebarWidth ?? 240;
      this.inspectorWidth = kept.inspectorWidth ?? 400;
    } catch {
      // Without storage the panes are as they are the first time.
    }
  }

  measure(width: number): void {
    this.overInspector = width < INSPECTOR_ROOM;
    this.overSidebar = width < SIDEBAR_ROOM;
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

export const panes = new Panes();
