/** Daemons run on a machine before any other pod does: required anti-affinity between them and a pod rules the machine out from the start. */
import type { ObjectKey } from '../../../../model/ids.ts'
import type { Pod } from '../../../../model/pod.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import type { Daemon } from '../catalog/daemons.ts'
import { addKeysOf } from '../topology/askedKeys.ts'
import { asLabelled, type Meaning, meaningOf, means } from '../topology/group.ts'

type Sociable = Daemon['pod']

/** For each pod the DaemonSets that it keeps away from, or that keep away from it; whatever the domain, a machine is in one with itself. */
export function daemonQuarrels(daemons: readonly Daemon[], namespaces: readonly Namespace[]): (pod: Pod) => readonly ObjectKey[] {
  const meaningsOf = (pod: Sociable): readonly Meaning[] => pod.podAntiAffinity.required.map((term) => meaningOf(term, pod, namespaces))
  const theirs = daemons.map((daemon) => ({ daemon, meanings: meaningsOf(daemon.pod) }))
  const isQuiet = theirs.every(({ meanings }) => meanings.length === 0)
  return (pod) => {
    if (daemons.length === 0 || (isQuiet && pod.podAntiAffinity.required.length === 0)) return NONE
    const own = meaningsOf(pod)
    return theirs.filter(({ daemon, meanings }) => areMeant(own, daemon.pod) || areMeant(meanings, pod)).map(({ daemon }) => daemon.key)
  }
}

/** Labels that the anti-affinity of daemons asks about. */
export function keysAskedBy(daemons: readonly Daemon[]): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { pod } of daemons) for (const term of pod.podAntiAffinity.required) addKeysOf(keys, term)
  return keys
}

const NONE: readonly ObjectKey[] = []

function areMeant(meanings: readonly Meaning[], pod: Sociable): boolean {
  return meanings.some((meaning) => means(meaning, asLabelled(pod)))
}
