import type { NewStep } from '../../backend/bindings';

/** A step of which nothing is said yet. */
export const blank: NewStep = {
  description: '',
  stepType: null,
  requiredTools: [],
  expectedOutcome: null,
  executor: { kind: 'self', id: '' },
  toolValidationMode: null,
  instructions: null,
  dependencies: [],
};
