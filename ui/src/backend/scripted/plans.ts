import type { Effects, Fault, Plan, PlanCheck, PlanRef, Step, ToolSpec } from '../bindings';
import { tools } from './tools';

/** What a step says beside its description; everything else is as the engine fills it in. */
export type StepWords = Partial<Omit<Step, 'description'>> & { do: string };

/** A document with everything in it that the format asks for. */
export function planOf(words: Partial<Omit<Plan, 'steps'>> & { steps: StepWords[] }): Plan {
  const { steps, ...rest } = words;
  return {
    format: 'assent.plan/1',
    id: 'plan',
    version: 1,
    supersedes: null,
    sessionId: '',
    title: '',
    intent: '',
    refinedTask: '',
    userMessage: '',
    extractedContext: {},
    instructions: {},
    route: [],
    defaults: { toolValidationMode: 'strict' },
    limits: {
      plannerRetries: 1,
      toolValidationRetries: 2,
      outputRetries: 3,
      inputRetries: 3,
      stepIterations: 5,
      depth: 5,
      maxParallelSteps: 4,
      toolTokenBudget: 3800,
      toolResultMaxLength: 60_000,
    },
    fallback: { used: false, reason: null },
    createdAt: 0,
    ...rest,
    steps: steps.map((step, at) => stepOf(step, at)),
  };
}

/** A step with everything in it that the format asks for. */
export function stepOf({ do: description, ...words }: StepWords, at: number): Step {
  return {
    id: `s${at + 1}`,
    parentId: null,
    origin: 'todo',
    description,
    stepType: words.requiredTools?.length ? 'tool' : 'reasoning',
    requiredTools: [],
    expectedOutcome: null,
    toolValidationMode: null,
    executor: { kind: 'self', id: '' },
    instructions: null,
    dependencies: at === 0 ? [] : [`s${at}`],
    input: { context: {} },
    grants: { tools: [], paths: [], hosts: [] },
    contracts: { input: null, output: null },
    ...words,
  };
}

/** The document with the grants that its steps get. */
export function granted(plan: Plan): Plan {
  const paths = Object.values(plan.extractedContext).filter(
    (value): value is string => typeof value === 'string' && /^[\w./-]+$/.test(value),
  );
  return {
    ...plan,
    steps: plan.steps.map((step) => {
      const used = step.requiredTools.map((name) => toolOf(name)).filter((tool) => tool !== undefined);
      const files = used.some((tool) => tool.risk !== 'network' && tool.source === 'core');
      const writes = used.some((tool) => tool.risk === 'write');
      return {
        ...step,
        grants: {
          tools: step.requiredTools,
          paths: files ? (writes && paths.length > 0 ? paths : ['.']) : [],
          hosts: [],
        },
      };
    }),
  };
}

export function toolOf(name: string): ToolSpec | undefined {
  return tools.find((tool) => tool.name === name);
}

const none = (): Effects => ({
  reads: [],
  writes: [],
  network: false,
  hosts: [],
  commands: false,
  destructive: [],
  open: [],
});

function add(effects: Effects, step: Step, looks: boolean): Effects {
  if (step.requiredTools.length === 0 && step.stepType === 'tool') effects.open.push(step.id);
  for (const tool of step.requiredTools.map(toolOf)) {
    if (!tool) continue;
    // A command line has the whole folder before it.
    const paths = tool.risk === 'execute' ? ['.'] : step.grants.paths;
    if (['read', 'execute'].includes(tool.risk)) effects.reads = [...new Set([...effects.reads, ...paths])];
    if (tool.risk === 'write' || (tool.risk === 'execute' && !looks))
      effects.writes = [...new Set([...effects.writes, ...paths])];
    if (tool.risk === 'execute') effects.commands = true;
    if (tool.risk === 'network') effects.network = true;
    if (tool.risk === 'destructive') effects.destructive.push(tool.name);
  }
  return effects;
}

/** What approving a document would allow. */
export function effectsOf(plan: Plan): Effects {
  return granted(plan).steps.reduce((all, step) => add(all, step, plan.readOnly === true), none());
}

/** What does not hold of a document where there are these tools, and what approving it would allow. */
export function checkOf(plan: Plan, known: readonly ToolSpec[] = tools): PlanCheck {
  const ids = new Set(plan.steps.map((step) => step.id));
  const faults: Fault[] = plan.steps.flatMap((step, at) => [
    ...step.requiredTools.flatMap((name, index): Fault[] =>
      known.some((tool) => tool.name === name)
        ? []
        : [
            {
              stage: 'plan',
              message: `there is no tool ${name}`,
              path: ['steps', at, 'requiredTools', index],
              hint: 'choose one of the list, or leave the step to look for a tool itself',
            },
          ],
    ),
    ...step.dependencies.flatMap((need, index): Fault[] =>
      ids.has(need)
        ? []
        : [
            {
              stage: 'plan',
              message: `there is no step ${need}`,
              path: ['steps', at, 'dependencies', index],
              hint: 'remove the dependency',
            },
          ],
    ),
  ]);
  const stepEffects = granted(plan).steps.map((step) => add(none(), step, plan.readOnly === true));
  const toolSteps = plan.steps.filter((step) => step.requiredTools.length > 0).length;
  return { faults, effects: effectsOf(plan), stepEffects, modelCalls: plan.steps.length + toolSteps };
}

/** Names exactly this content. Not the engine's digest: only as different as contents are. */
export function referenceOf(plan: Plan): PlanRef {
  const text = JSON.stringify(plan);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return { id: plan.id, version: plan.version, digest: (hash >>> 0).toString(16).padStart(64, '0') };
}
