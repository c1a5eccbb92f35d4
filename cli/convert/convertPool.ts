/** v1beta1 to v1 of NodePools and NodeClaims. */
import { isObject } from '../../shared/wire/codec.ts'
import { AZURE_GROUP, CLASS_KIND } from './names.ts'
import { deleteAt, type Path, refusal, setAt, type Target, valueAt } from './target.ts'

const NODE_FIELDS = ['taints', 'startupTaints', 'requirements', 'resources', 'kubelet', 'nodeClassRef']
const POOL_PLACES: readonly { readonly path: Path; readonly fields: readonly string[] }[] = [
  { path: ['spec'], fields: ['template', 'disruption', 'limits', 'weight'] },
  { path: ['spec', 'template'], fields: ['metadata', 'spec'] },
  { path: ['spec', 'template', 'spec'], fields: NODE_FIELDS },
  { path: ['spec', 'disruption'], fields: ['consolidateAfter', 'consolidationPolicy', 'expireAfter', 'budgets'] },
]
const CLAIM_PLACES: typeof POOL_PLACES = [{ path: ['spec'], fields: NODE_FIELDS }]
/** The default of v1beta1 and of v1. */
const DEFAULT_EXPIRY = '720h'

/** Returns what has no form in v1. The kubelet settings stay where they are: they move when all objects are known. */
export function convertPool(pool: Target): readonly string[] {
  const unknown = unknownFields(pool, POOL_PLACES)
  if (unknown.length > 0) return unknown
  setAt(pool, 'karpenter.sh/v1', 'apiVersion')
  const refused = convertClassRef(pool, ['spec', 'template', 'spec', 'nodeClassRef'])
  const disruption = valueAt(pool, 'spec', 'disruption')
  if (isObject(disruption)) {
    setAt(pool, disruption['expireAfter'] ?? DEFAULT_EXPIRY, 'spec', 'template', 'spec', 'expireAfter')
    deleteAt(pool, 'spec', 'disruption', 'expireAfter')
    if ((disruption['consolidationPolicy'] ?? 'WhenUnderutilized') === 'WhenUnderutilized')
      setAt(pool, 'WhenEmptyOrUnderutilized', 'spec', 'disruption', 'consolidationPolicy')
    if (disruption['consolidateAfter'] === undefined) setAt(pool, '0s', 'spec', 'disruption', 'consolidateAfter')
  }
  const resources = valueAt(pool, 'spec', 'template', 'spec', 'resources')
  if (isObject(resources) && Object.keys(resources).length === 0) deleteAt(pool, 'spec', 'template', 'spec', 'resources')
  else if (resources !== undefined)
    return [...refused, refusal(pool, 'spec.template.spec.resources', 'has no form in v1: the requests of pods decide; remove it')]
  return refused
}

/** `expiryOf` returns `expireAfter` of a NodePool of the same input. */
export function convertClaim(claim: Target, expiryOf: (pool: string) => unknown): readonly string[] {
  const unknown = unknownFields(claim, CLAIM_PLACES)
  if (unknown.length > 0) return unknown
  setAt(claim, 'karpenter.sh/v1', 'apiVersion')
  const refused = convertClassRef(claim, ['spec', 'nodeClassRef'])
  const pool = valueAt(claim, 'metadata', 'labels', 'karpenter.sh/nodepool')
  // In v1beta1 a NodeClaim without a NodePool has no age limit.
  const expiry = typeof pool === 'string' ? expiryOf(pool) : 'Never'
  if (expiry === undefined) {
    const why = `in v1 the NodeClaim itself has expireAfter, which v1beta1 has in the NodePool: add nodepool/${String(pool)} to the input`
    return [...refused, refusal(claim, 'metadata.labels["karpenter.sh/nodepool"]', why)]
  }
  setAt(claim, expiry, 'spec', 'expireAfter')
  return refused
}

function convertClassRef(target: Target, path: Path): readonly string[] {
  const given = valueAt(target, ...path)
  if (!isObject(given)) return [refusal(target, path, 'is missing: it names the AKSNodeClass')]
  const { apiVersion = `${AZURE_GROUP}/v1beta1`, kind = CLASS_KIND, name, ...others } = given
  const [other] = Object.keys(others)
  if (other !== undefined) return [refusal(target, [...path, other], 'v1beta1 has no such field')]
  if (typeof name !== 'string' || name === '') return [refusal(target, [...path, 'name'], 'is missing: it names the AKSNodeClass')]
  if (typeof apiVersion !== 'string' || apiVersion.split('/')[0] !== AZURE_GROUP)
    return [refusal(target, [...path, 'apiVersion'], `must be of the group ${AZURE_GROUP}: Joiner makes machines in Azure alone`)]
  if (kind !== CLASS_KIND) return [refusal(target, [...path, 'kind'], `must be ${CLASS_KIND}: Joiner makes machines in Azure alone`)]
  deleteAt(target, ...path, 'apiVersion')
  setAt(target, AZURE_GROUP, ...path, 'group')
  setAt(target, CLASS_KIND, ...path, 'kind')
  return []
}

function unknownFields(target: Target, places: typeof POOL_PLACES): readonly string[] {
  return places.flatMap(({ path, fields }) => {
    const value = valueAt(target, ...path)
    if (value === undefined) return []
    if (!isObject(value)) return [refusal(target, path, 'must be an object')]
    return Object.keys(value)
      .filter((name) => !fields.includes(name))
      .map((name) => refusal(target, [...path, name], 'v1beta1 has no such field'))
  })
}
