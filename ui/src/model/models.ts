import type { ModelList, ModelOption, ServerState } from '../backend/bindings';

/** Whether a model can be asked: those that Assent runs itself need the program for that as well. */
export function isUsable({ source, state }: ModelOption, server: ServerState): boolean {
  const isOwn = source === 'embedded' || source === 'file';
  return (state === 'ready' || state === 'unknown') && (!isOwn || server.ready);
}

/** Whether a model is there that plans, and one that does the steps; true until it is known. */
export function canPlan(list: ModelList | null): boolean {
  if (!list) return true;
  const { models, chosen, server } = list;
  return [chosen.planner, chosen.step].every((role) => {
    const own = models.find((model) => model.id === (role ?? chosen.default));
    return !own || isUsable(own, server);
  });
}

/** Whether the model that plans runs on this machine, as part of Assent. */
export function plansHere(list: ModelList | null): boolean {
  const own = list?.chosen.planner ?? list?.chosen.default;
  return list?.models.some((model) => model.id === own && model.source === 'embedded') ?? false;
}
