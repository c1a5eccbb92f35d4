import { Fault, problem } from './problem.ts'

/** The answer to a record of a term that is over. Its objects are not lost: the term that began since brought all that exist. */
export function oldTerm(term: number, newestTerm: number): Fault {
  const rule = `term ${term} is over: term ${newestTerm} of another leader has begun`
  return new Fault(
    'append to the cluster log',
    problem('INPUT.OLD_TERM', `${rule}; lead again in a later term`, { fields: { term, newestTerm } }),
  )
}
