/** Pods that differ only in size share everything else that placement reads. It is worked out once for all of them. */
import { isSameFlat } from '../../../../base/isSame.ts'
import { isOfOneNamespace } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Candidate } from './candidate.ts'
import { createPodFinder, type Reading } from './podFinder.ts'
import { asksTheSame, formText } from './podLikeness.ts'

/** Returns a function that finds or makes the form of a candidate. A candidate with volumes has a form of its own. */
export function podForms<Form>(make: (first: Candidate) => Form, work: Reading): (candidate: Candidate) => Form {
  const makeEntry = (pod: Pod): Entry<Form> => ({ pod, form: undefined })
  const finder = createPodFinder({ textOf: formText, isAlike: areOfOneForm, make: makeEntry }, work)
  return (candidate) => {
    if (candidate.pod.volumes.length > 0) return make(candidate)
    const entry = finder.of(candidate.pod)
    entry.form ??= make(candidate)
    return entry.form
  }
}

type Entry<Form> = { readonly pod: Pod; form: Form | undefined }

/** Reports whether two pods have the same labels and ask the same of their node. Sizes and volumes are not compared. */
function areOfOneForm(first: Pod, second: Pod): boolean {
  return isSameFlat(first.labels, second.labels) && isOfOneNamespace(first, second) && asksTheSame(first, second)
}
