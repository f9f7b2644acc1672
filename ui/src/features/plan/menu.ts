/** What can be done with a step of a plan, and why something of it cannot be done now. */

import type { MenuItem } from '../../shared/parts/MenuList.svelte';
import { text } from '../../shared/text';

/** How a step stands in its plan. */
export interface Stands {
  /** Its place, and that of the last step, from 0. */
  at: number;
  last: number;
  editable: boolean;
  /** Whether the version that was saved last has it. */
  isSaved: boolean;
  /** Whether there are changes that were not saved. */
  isChanged: boolean;
  /** Whether a model can plan now. */
  canPlan: boolean;
}

/** What the entries do. */
export interface StepActs {
  edit: () => void;
  move: (to: number) => void;
  /** Opens a box in which something is written about the step, or behind it. */
  write: (box: 'add' | 'comment' | 'rework') => void;
  remove: () => void;
}

export function stepMenu(step: Stands, acts: StepActs): MenuItem[] {
  const comment: MenuItem = {
    id: 'comment',
    label: text.plan.comment,
    icon: 'note',
    // What is said of a step belongs to a version that has it.
    reason: step.isSaved ? undefined : text.plan.commentUnsaved,
    act: () => acts.write('comment'),
  };
  if (!step.editable) return [comment];
  return [
    { id: 'edit', label: text.plan.edit(step.at + 1), icon: 'pencil', hint: 'Enter', act: acts.edit },
    {
      id: 'up',
      label: text.plan.moveUp,
      icon: 'raise',
      hint: 'Alt ↑',
      reason: step.at === 0 ? text.plan.isFirst : undefined,
      act: () => acts.move(step.at - 1),
    },
    {
      id: 'down',
      label: text.plan.moveDown,
      icon: 'lower',
      hint: 'Alt ↓',
      reason: step.at === step.last ? text.plan.isLast : undefined,
      act: () => acts.move(step.at + 1),
    },
    { id: 'insert', label: text.plan.insertAfter, icon: 'add', act: () => acts.write('add') },
    comment,
    {
      id: 'rework',
      label: text.plan.rework,
      icon: 'retry',
      reason: step.isChanged ? text.plan.reworkUnsaved : step.canPlan ? undefined : text.chat.goneOffline,
      act: () => acts.write('rework'),
    },
    { id: 'remove', label: text.plan.remove, icon: 'trash', hint: 'Delete', danger: true, act: acts.remove },
  ];
}
