import { uid } from '../../model/ids.ts'
import type { PodOwner } from '../../model/pod.ts'
import type { Trail } from '../codec.ts'
import { flag, items, type KubeObject, type KubeRead, maybe, need, object, text } from './read.ts'

const owner: KubeRead<Omit<PodOwner, 'controls'> & { readonly controls: boolean }> = (json, trail) => {
  const source = object(json, trail)
  return {
    apiVersion: need(source, 'apiVersion', text, trail),
    kind: need(source, 'kind', text, trail),
    name: need(source, 'name', text, trail),
    uid: uid(need(source, 'uid', text, trail)),
    controls: maybe(source, 'controller', flag, trail) ?? false,
  }
}

export function ownerOf(metadata: KubeObject, trail: Trail): PodOwner | undefined {
  const owners = items(metadata, 'ownerReferences', owner, trail)
  const found = owners.find(({ controls }) => controls) ?? owners[0]
  if (found === undefined) return undefined
  const { controls, ...rest } = found
  return controls ? rest : { ...rest, controls }
}
