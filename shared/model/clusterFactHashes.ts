import { defined } from '../base/defined.ts'
import { byText } from '../base/order.ts'
import { ownValue } from '../base/ownValue.ts'
import { ANNOTATION } from './labels.ts'
import type { Labels } from './meta.ts'

/** Hashes of the facts of a cluster that its nodes are made from, by the name of the fact. */
export type ClusterFactHashes = Labels

/** The version of these hashes. Hashes of another version are not known, and are written anew. */
const VERSION = 'v1'

/** The hashes that the claim was launched with. A fact without one is not known. */
export function hashesOf(annotations: Labels): ClusterFactHashes {
  const [version, ...written] = (annotations[ANNOTATION.clusterFacts] ?? '').split(' ')
  const pairs = (version === VERSION ? written : []).flatMap((pair) => {
    const [name = '', hash = ''] = pair.split('=')
    return name === '' || hash === '' ? [] : [[name, hash] as const]
  })
  return Object.fromEntries(pairs)
}

export function hashesAnnotation(hashes: ClusterFactHashes | undefined): Labels {
  const pairs = Object.entries(hashes ?? {}).sort(([one], [other]) => byText(one, other))
  const texts = pairs.map(([name, hash]) => `${name}=${hash}`)
  return defined({ [ANNOTATION.clusterFacts]: texts.length === 0 ? undefined : [VERSION, ...texts].join(' ') })
}

/** The names of the facts that have changed since. A fact that is not known then or now has not changed. */
export function changedFacts(then: ClusterFactHashes, now: ClusterFactHashes): readonly string[] {
  return Object.entries(now)
    .filter(([name, hash]) => (ownValue(then, name) ?? hash) !== hash)
    .map(([name]) => name)
    .sort(byText)
}

/** The annotation with the facts that the claim has no hash of. Undefined if it has one of each. */
export function completed(annotations: Labels, now: ClusterFactHashes | undefined): Labels | undefined {
  const then = hashesOf(annotations)
  const isComplete = Object.keys(now ?? {}).every((name) => ownValue(then, name) !== undefined)
  return isComplete ? undefined : hashesAnnotation({ ...now, ...then })
}
