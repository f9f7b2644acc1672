import type { Backend } from '../backend/backend';
import type { FirstView, SpecialistOption, ToolSpec, ToolsView } from '../backend/bindings';
import { sharing } from '../model/sharing';
import { rereading } from './rereading';

/** The tools that there are and who may use them, as the engine told of them last. */
export class Tools {
  all = $state.raw<readonly ToolSpec[]>([]);
  specialists = $state.raw<readonly SpecialistOption[]>([]);
  /** The tools with what they cost and where they come from; null until somebody looks. */
  catalogue = $state.raw<ToolsView | null>(null);

  constructor(
    private readonly backend: () => Backend,
    /** Hears that they may be others: what was said of plans may not hold any more. */
    private readonly changed: () => void,
  ) {}

  first({ tools, specialists }: FirstView): void {
    this.all = tools;
    this.specialists = specialists;
  }

  /** Takes what a person looks at or has changed. */
  async take(view: Promise<ToolsView>): Promise<void> {
    this.#set(await view);
    this.changed();
  }

  /** Reads them again: the engine looks at its sources by itself, too. */
  readonly read = rereading(async () => {
    const view = await this.backend().tools.list();
    const [all, specialists] = [this.all, this.specialists];
    this.#set(this.catalogue ? sharing(this.catalogue, view) : view);
    if (this.all !== all || this.specialists !== specialists) this.changed();
  });

  #set(view: ToolsView): void {
    this.catalogue = view;
    this.all = sharing(this.all, view.tools);
    this.specialists = sharing(this.specialists, view.specialists);
  }
}
