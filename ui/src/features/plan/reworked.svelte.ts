import { untrack } from 'svelte';
import type { Card } from '../../app/card.svelte';
import { stepNumber } from '../../model/place';
import type { Version } from '../../model/session';
import { announce } from '../../shared/announce.svelte';
import { text } from '../../shared/text';

/** Tells screen readers of a step that was planned anew, for as long as a card is shown. */
export function tellReworked(shown: () => { card: Card; version: Version | undefined }): void {
  /** The number of the step that is being planned anew, and the version that it belongs to. */
  let anew: { step: number; version: number } | null = null;
  $effect(() => {
    const { card, version } = shown();
    const { reworking } = card;
    const latest = version?.plan.version ?? 0;
    // What ends the work may come along with the version that it brought.
    if (anew && anew.version < latest) {
      announce(text.plan.reworkedSaid(anew.step, latest));
      anew = null;
    } else if (!reworking) anew = null;
    else
      untrack(() => {
        const step = card.document && stepNumber(card.document, reworking);
        anew = step ? { step, version: latest } : null;
      });
  });
}
