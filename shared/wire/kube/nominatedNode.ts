import { ownValue } from '../../base/values.ts'
import { nodeName } from '../../model/ids.ts'
import type { Pod } from '../../model/pod.ts'
import { isObject, type Trail } from '../codec.ts'
import { instant, type KubeObject, maybe, text } from './read.ts'

type NominatedNode = { readonly [Member in 'nominatedNodeName' | 'nominatedAt']: Pod[Member] | undefined }

/**
 * Reads the node that the scheduler is about to bind the pod to. A bound pod has none: before 1.35 the scheduler left the name on it. No member of
 * the pod tells when the name was written. The API server keeps that time with the owner of the field.
 */
export function nominatedNodeOf(metadata: KubeObject, spec: KubeObject, status: KubeObject, trail: Trail): NominatedNode {
  const name = maybe(status, 'nominatedNodeName', text, trail) ?? ''
  if (name === '' || (maybe(spec, 'nodeName', text, trail) ?? '') !== '') return NONE
  const owners = metadata['managedFields']
  const owner = Array.isArray(owners) ? owners.find(ownsName) : undefined
  return { nominatedNodeName: nodeName(name), nominatedAt: owner === undefined ? undefined : maybe(owner, 'time', instant, trail) }
}

const NONE: NominatedNode = { nominatedNodeName: undefined, nominatedAt: undefined }

function ownsName(entry: unknown): entry is KubeObject {
  const status = memberOf(memberOf(entry, 'fieldsV1'), 'f:status')
  return isObject(entry) && memberOf(status, 'f:nominatedNodeName') !== undefined
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? ownValue(value, name) : undefined
}
