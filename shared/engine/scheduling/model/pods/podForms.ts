/** Pods that differ in size alone share everything else that placement reads: it is worked out once for all of them. */
import { isSameFlat } from '../../../../base/isSame.ts'
import { isOfOneNamespace } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Candidate } from './candidate.ts'
import { createPodFinder, type Reading } from './podFinder.ts'
import { asksTheSame, formText } from './podLikeness.ts'

/** Finds the form of a candidate, or makes it. Those with volumes have forms of their own. */
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

/** True when two pods say the same of themselves and of where they want to run, sizes and volumes apart. */
function areOfOneForm(first: Pod, second: Pod): boolean {
  return isSameFlat(first.labels, second.labels) && isOfOneNamespace(first, second) && asksTheSame(first, second)
}
