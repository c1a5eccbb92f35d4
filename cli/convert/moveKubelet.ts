/** In v1 the settings of the kubelet belong to the class. In v1beta1 each NodePool and NodeClaim has its own. */

import { isDeepStrictEqual } from 'node:util'
import { ownValue } from '../../shared/base/values.ts'
import { isObject } from '../../shared/wire/codec.ts'
import { CLASS_KIND } from './names.ts'
import { deleteAt, type Path, refusal, setAt, type Target, valueAt } from './target.ts'

/** Where each setting is in the class. The others of v1beta1 have no form there. */
const PLACES: { readonly [setting: string]: Path } = {
  maxPods: ['spec', 'maxPods'],
  cpuCFSQuota: ['spec', 'kubelet', 'cpuCFSQuota'],
  imageGCHighThresholdPercent: ['spec', 'kubelet', 'imageGCHighThresholdPercent'],
  imageGCLowThresholdPercent: ['spec', 'kubelet', 'imageGCLowThresholdPercent'],
}

type Settings = { readonly [setting: string]: unknown }
type User = { readonly target: Target; readonly path: Path; readonly className: string; readonly settings: Settings }

/** Moves the settings of all NodePools and NodeClaims into their classes. Returns what cannot be moved. */
export function moveKubelets(targets: readonly Target[]): readonly string[] {
  const users = targets.filter(({ kind }) => kind === 'NodePool' || kind === 'NodeClaim').map(userOf)
  const homeless = users.flatMap(({ target, path, settings }) =>
    Object.keys(settings)
      .filter((name) => !Object.hasOwn(PLACES, name))
      .map((name) => refusal(target, [...path, name], 'has no form in v1: AKS decides it; remove it')),
  )
  if (homeless.length > 0) return homeless
  const refused = [...Map.groupBy(users, ({ className }) => className)].flatMap(([name, ofClass]) => moveInto(name, ofClass, targets))
  if (refused.length === 0) for (const { target, path } of users) deleteAt(target, ...path)
  return refused
}

function userOf(target: Target): User {
  const node: Path = target.kind === 'NodePool' ? ['spec', 'template', 'spec'] : ['spec']
  const settings = valueAt(target, ...node, 'kubelet')
  const className = valueAt(target, ...node, 'nodeClassRef', 'name')
  return {
    target,
    path: [...node, 'kubelet'],
    className: typeof className === 'string' ? className : '',
    settings: isObject(settings) ? settings : {},
  }
}

function moveInto(name: string, users: readonly User[], targets: readonly Target[]): readonly string[] {
  const mover = users.find(({ settings }) => Object.keys(settings).length > 0)
  if (mover === undefined) return []
  const other = users.find(({ settings }) => !isDeepStrictEqual(settings, mover.settings))
  if (other !== undefined) {
    const { kind, name: otherName } = other.target
    const why = `in v1 it belongs to aksnodeclass/${name}, which ${kind.toLowerCase()}/${otherName} uses with other settings: give each a class of its own`
    return [refusal(mover.target, mover.path, why)]
  }
  const found = targets.find((target) => target.kind === CLASS_KIND && target.name === name)
  if (found === undefined)
    return [refusal(mover.target, mover.path, `in v1 it belongs to aksnodeclass/${name}: add this class to the input`)]
  const refused = Object.entries(mover.settings).flatMap(([setting, value]) => {
    const place = ownValue(PLACES, setting) ?? []
    const before = valueAt(found, ...place)
    if (before !== undefined && before !== value)
      return [
        refusal(
          mover.target,
          [...mover.path, setting],
          `is ${JSON.stringify(value)}, but aksnodeclass/${name} has ${place.join('.')} ${JSON.stringify(before)}`,
        ),
      ]
    if (before === undefined) setAt(found, value, ...place)
    return []
  })
  return refused.length > 0 ? refused : thresholdsOf(found)
}

function thresholdsOf(target: Target): readonly string[] {
  const [high, low] = ['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'].map((name) => valueAt(target, 'spec', 'kubelet', name))
  if (typeof high !== 'number' || typeof low !== 'number' || high > low) return []
  return [refusal(target, 'spec.kubelet.imageGCHighThresholdPercent', `${high} must be above imageGCLowThresholdPercent ${low}`)]
}
