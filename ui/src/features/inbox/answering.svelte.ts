import type {
  Answer,
  AnswerDraft,
  Choice,
  Digest,
  Input,
  InputKind,
  JsonValue,
  Reach,
  Request,
  ToolSpec,
} from '../../backend/bindings';
import { fieldsWith, type FormField, type Written } from '../../shared/form/schema';
import { changedOf, isDate, numberOf, writtenOf } from '../../shared/form/values';
import { text } from '../../shared/text';

const words = text.inspect.request;

/** An answer while a person makes it. Every change of it is told, so that it is kept before it is sent. */
export class Answering {
  readonly request: Request;
  readonly input: Input;
  /** What may be chosen. */
  readonly options: readonly Choice[];
  /** Whether it is a yes or a no. */
  readonly decides: boolean;
  /** Whether it can be left unanswered, with a reason: what is asked for is more than a yes or a no. */
  readonly declines: boolean;
  /** Whether there is nothing to choose from. */
  readonly free: boolean;
  /** Whether it is about a call, which is shown with what it would change. */
  readonly showsCall: boolean;
  /** What the person was shown of the file that the call changes, and for which arguments. */
  seen = $state.raw<{ of: JsonValue; digest: Digest } | null>(null);
  /** The arguments for which it was looked last what the call changes, or told that it cannot be. */
  looked = $state.raw<{ of: JsonValue } | null>(null);
  /** When that became something else while the card stood open. */
  movedAt = -Infinity;

  #written = $state('');
  #chosen = $state.raw<readonly string[]>([]);
  #other = $state(false);
  #reach = $state<Reach>('once');
  #fields = $state.raw<Written | null>(null);
  #reason = $state<string | null>(null);
  /** The reason as it was when its field was closed. */
  #leftReason = '';
  #tool: () => ToolSpec | undefined;
  #changed: (draft: AnswerDraft) => void;

  constructor(
    request: Request,
    draft: AnswerDraft | null,
    tool: () => ToolSpec | undefined,
    changed: (draft: AnswerDraft) => void,
  ) {
    this.request = request;
    this.input = request.input;
    this.options =
      this.input.kind === 'boolean'
        ? [{ label: words.yes }, { label: words.no }]
        : (this.input.options ?? []);
    this.decides = this.input.kind === 'decision';
    this.declines = !this.decides && (request.kind === 'question' || request.kind === 'help');
    this.free = this.options.length === 0 && !this.decides;
    this.showsCall = Boolean(request.tool) && request.kind !== 'question';
    this.#tool = tool;
    this.#changed = changed;
    this.#written = draft?.text ?? '';
    this.#chosen = draft?.chosen ?? [];
    this.#other = draft?.other ?? false;
    this.#reach = draft?.reach ?? 'once';
    this.#fields = (draft?.fields as Written | null | undefined) ?? null;
    this.#reason = (this.declines ? draft?.reason : null) ?? null;
  }

  get written(): string {
    return this.#written;
  }

  write(now: string): void {
    this.#written = now;
    this.#tell();
  }

  isChosen(label: string): boolean {
    return this.#chosen.includes(label);
  }

  /** Takes an option, beside others where several may be taken, or leaves it out again. */
  choose(label: string, on: boolean): void {
    const others = this.input.kind === 'multiselect' ? this.#chosen.filter((one) => one !== label) : [];
    this.#chosen = on ? [...others, label] : others;
    this.#other = false;
    this.#tell();
  }

  /** Whether something else is wanted than the options. */
  get other(): boolean {
    return this.#other;
  }

  chooseOther(): void {
    this.#chosen = [];
    this.#other = true;
    this.#tell();
  }

  /** Why it is declined, as far as that is written; null while it is not being declined. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Begins to decline it, with the words that were there before, or leaves that. */
  decline(on: boolean): void {
    if (this.#reason !== null) this.#leftReason = this.#reason;
    this.#reason = on ? this.#leftReason : null;
    this.#tell();
  }

  writeReason(now: string): void {
    this.#reason = now;
    this.#tell();
  }

  /** Whether words of the person's own stand in it. */
  readonly worded: boolean = $derived.by(() => this.#written.trim() !== '' || !!this.#reason?.trim());

  get reach(): Reach {
    return this.#reach;
  }

  set reach(now: Reach) {
    this.#reach = now;
    this.#tell();
  }

  /** Whether the arguments are being changed. */
  get editing(): boolean {
    return this.#fields !== null;
  }

  /** Begins to change the arguments, or leaves them as they were. */
  edit(on: boolean): void {
    this.#fields = on ? {} : null;
    this.#tell();
  }

  writeField(name: string, now: string | boolean): void {
    this.#fields = { ...this.#fields, [name]: now };
    this.#tell();
  }

  /** The fields of the arguments. */
  readonly form: FormField[] = $derived.by(() => fieldsWith(this.#tool()?.parameters ?? {}, this.#arguments));
  /** What stands in them. */
  readonly fields: Written = $derived.by(() => ({
    ...writtenOf(this.form, this.#arguments),
    ...this.#fields,
  }));
  /** The arguments as they were changed, and what is wrong with them; null while nothing was. */
  readonly changed = $derived.by(() =>
    Object.keys(this.#fields ?? {}).length > 0 ? changedOf(this.form, this.#arguments, this.fields) : null,
  );
  /** Whether a field does not hold what it has to. */
  readonly invalid: boolean = $derived.by(() => Object.keys(this.changed?.faults ?? {}).length > 0);

  /** The arguments as they would be approved. */
  readonly args: JsonValue = $derived.by(() => this.changed?.value ?? this.#arguments);
  /** Whether what they change is not shown yet, or something else than what was shown of it. */
  readonly unseen: boolean = $derived.by(() => this.showsCall && this.looked?.of !== this.args);
  /** The arguments of which only the beginning is shown. */
  #cut = $state.raw<readonly string[]>([]);
  /** Why the call cannot be allowed yet. */
  readonly held: 'invalid' | 'unread' | 'unseen' | null = $derived.by(() => {
    if (this.invalid) return 'invalid';
    if (this.#cut.length > 0) return 'unread';
    return this.unseen ? 'unseen' : null;
  });

  /** Notes whether all of an argument is shown. */
  shows(name: string, all: boolean): void {
    if (this.#cut.includes(name) === !all) return;
    this.#cut = all ? this.#cut.filter((one) => one !== name) : [...this.#cut, name];
  }

  get #arguments(): JsonValue {
    return this.request.arguments ?? null;
  }

  /** The value that would be answered; undefined until there is one. */
  readonly value: JsonValue | undefined = $derived.by(() => {
    const { kind } = this.input;
    if (this.free || this.#other) return typed(this.#written.trim(), kind);
    if (this.#chosen.length === 0) return undefined;
    if (kind === 'boolean') return this.#chosen[0] === words.yes;
    return kind === 'multiselect' ? [...this.#chosen] : this.#chosen[0];
  });

  /** What is wrong with what was written. */
  readonly fault: string | undefined = $derived.by(() => {
    const written = this.#written.trim();
    if (!(this.free || this.#other) || written === '' || this.value !== undefined) return undefined;
    return text.form.faults[this.input.kind === 'date' ? 'date' : numberOf(written)]?.('');
  });

  get approval(): Answer {
    const note = this.#written.trim();
    return {
      type: 'approve',
      ...(this.changed && { arguments: this.changed.value }),
      ...(note && { note }),
      ...(this.#reach !== 'once' && { reach: this.#reach }),
    };
  }

  get rejection(): Answer {
    const reason = (this.decides ? this.#written : (this.#reason ?? '')).trim();
    return { type: 'reject', ...(reason && { reason }) };
  }

  get draft(): AnswerDraft {
    return {
      ...(this.#written && { text: this.#written }),
      ...(this.#chosen.length > 0 && { chosen: [...this.#chosen] }),
      ...(this.#other && { other: true }),
      ...(this.#reach !== 'once' && { reach: this.#reach }),
      ...(this.#fields && { fields: this.#fields }),
      ...(this.#reason !== null && { reason: this.#reason }),
    };
  }

  #tell(): void {
    this.#changed(this.draft);
  }
}

function typed(written: string, kind: InputKind): JsonValue | undefined {
  if (written === '') return undefined;
  if (kind === 'number') {
    const number = numberOf(written);
    return typeof number === 'number' ? number : undefined;
  }
  return kind === 'date' && !isDate(written) ? undefined : written;
}
