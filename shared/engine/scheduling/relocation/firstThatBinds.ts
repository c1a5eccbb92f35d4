/** Tries to close machines until the pods bind in any order. */
import type { OnNew } from './relocation.ts'
import { NONE_UNBOUND, type Unbound } from './worstFit.ts'

/** The most tries in which some pods go to new claims alone, and others to machines that stay. */
const MOST_PARTLY_NEW = 3

/** The result of a try. `unbound`: all pods have places, but some find none unless the scheduler binds all pods as planned. */
export type Outcome<Answer> = { readonly answer: Answer } | { readonly unbound: Unbound }

/**
 * Tries first machines that stay, and new claims for the rest. While some pods find no place in some order, these pods go to new claims alone. At last
 * all pods do. Returns the first answer, or a later one that `isMove` takes. Undefined if there is none.
 */
export function firstThatBinds<Answer>(
  attempt: (onNew: OnNew) => Outcome<Answer>,
  isMove: (answer: Answer) => boolean,
): Answer | undefined {
  const first = attempt(NONE_UNBOUND)
  if ('answer' in first) return first.answer
  let onNew = first.unbound
  for (let tries = 0; tries < MOST_PARTLY_NEW; tries++) {
    const tried = attempt(onNew)
    if ('answer' in tried) {
      if (isMove(tried.answer)) return tried.answer
      break
    }
    const more = new Set([...onNew, ...tried.unbound])
    if (more.size === onNew.size) break
    onNew = more
  }
  const last = attempt('all')
  return 'answer' in last && isMove(last.answer) ? last.answer : undefined
}
