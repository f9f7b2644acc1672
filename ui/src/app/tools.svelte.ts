import type { Backend } from '../backend/backend';
import type { FirstView, SpecialistOption, ToolSpec, ToolsView } from '../backend/bindings';
import { sharing } from '../model/sharing';
import { rereading } from './rereading';

/** The tools that there are and who may use them, as the engine told of them last. */
export class Tools {
  all = $state.raw<readonly ToolSpec[]>([]);
  specialists = $state.raw<readonly SpecialistOption[]>([]);
  /** The tools with what they cost and where they come from; null until they were read. */
  catalogue = $state.raw<ToolsView | null>(null);

  /** How many answers there were. */
  #answers = 0;

  constructor(
    private readonly backend: () => Backend,
    /** Hears that they may be others: what was said of plans may not hold any more. */
    private readonly changed: () => void,
  ) {}

  first({ tools, specialists }: FirstView): void {
    this.all = tools;
    this.specialists = specialists;
  }

  /**
   * Takes what a person looks at or has changed. Which of two answers is the older one cannot be told where one came
   * while the other was awaited: they are read once more.
   */
  async take(view: Promise<ToolsView>): Promise<void> {
    const before = this.#answers;
    const taken = await view;
    if (this.#answers === before) this.#set(taken);
    else await this.read();
  }

  /** Reads them again: the engine looks at its sources by itself, too. */
  readonly read = rereading(async () => {
    let before: number;
    let view: ToolsView;
    do {
      before = this.#answers;
      view = await this.backend().tools.list();
    } while (this.#answers !== before);
    this.#set(this.catalogue ? sharing(this.catalogue, view) : view);
  });

  #set(view: ToolsView): void {
    const [all, specialists] = [this.all, this.specialists];
    this.#answers += 1;
    this.catalogue = view;
    this.all = sharing(all, view.tools);
    this.specialists = sharing(specialists, view.specialists);
    if (this.all !== all || this.specialists !== specialists) this.changed();
  }
}
