import { untrack } from 'svelte';
import type { Card } from '../../app/card.svelte';
import type { Clock } from '../../app/clock';
import { stepNumber } from '../../model/place';
import type { Version } from '../../model/session';
import { announce } from '../../shared/announce.svelte';
import { text } from '../../shared/text';

/** A version that came longer ago than this is no news. */
const FRESH_MS = 10_000;

/** Tells screen readers of a plan that is there, and of a step that was planned anew, for as long as a card is shown. */
export function tellNews(clock: Clock, shown: () => { card: Card; version: Version | undefined }): void {
  /** The turn whose plan was told to be there: a person's own changes in it are no news to them. */
  let told: string | null | undefined;
  $effect(() => {
    const { card, version } = shown();
    const count = card.view?.plan.steps.length;
    const turn = version?.turn;
    const fresh = version?.status === 'proposed' && clock.now() - version.at < FRESH_MS;
    untrack(() => {
      if (!count || turn === undefined) return;
      if (fresh && turn !== told) announce(text.plan.ready(count));
      told = turn;
    });
  });

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
