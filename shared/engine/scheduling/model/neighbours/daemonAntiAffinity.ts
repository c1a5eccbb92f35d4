/** Daemons run on a machine before any other pod. So required anti-affinity between a daemon and a pod rules the machine out from the start. */
import type { ObjectKey } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import type { Daemon } from '../catalog/daemons.ts'
import { type AskedLabels, addTerm, type GrowingLabels } from '../topology/askedLabels.ts'
import { asLabelled, isInScope, scopeOf, type TermScope } from '../topology/topologyGroup.ts'

type Sociable = Daemon['pod']

/** For each pod, the DaemonSets that keep away from it or that it keeps away from. Any domain counts: pods of one machine share it. */
export function daemonAntiAffinity(daemons: readonly Daemon[], namespaces: readonly Namespace[]): (pod: Pod) => readonly ObjectKey[] {
  const scopesOf = (pod: Sociable): readonly TermScope[] => pod.podAntiAffinity.required.map((term) => scopeOf(term, pod, namespaces))
  const theirs = daemons.map((daemon) => ({ daemon, scopes: scopesOf(daemon.pod) }))
  const isQuiet = theirs.every(({ scopes }) => scopes.length === 0)
  return (pod) => {
    if (daemons.length === 0 || (isQuiet && pod.podAntiAffinity.required.length === 0)) return NONE
    const own = scopesOf(pod)
    return theirs.filter(({ daemon, scopes }) => areSelected(own, daemon.pod) || areSelected(scopes, pod)).map(({ daemon }) => daemon.key)
  }
}

/** The labels that the anti-affinity terms of daemons select by. */
export function labelsAskedBy(daemons: readonly Daemon[]): AskedLabels {
  const asked: GrowingLabels = new Map()
  for (const { pod } of daemons) for (const term of pod.podAntiAffinity.required) addTerm(asked, term)
  return asked
}

const NONE: readonly ObjectKey[] = []

function areSelected(scopes: readonly TermScope[], pod: Sociable): boolean {
  return scopes.some((scope) => isInScope(scope, asLabelled(pod)))
}
