import { type Document, isAlias, type Node, parseAllDocuments, visit } from 'yaml'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { ownValue } from '../../shared/base/values.ts'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import { checkConverted } from './checkConverted.ts'
import { convertClass } from './convertClass.ts'
import { convertClaim, convertPool } from './convertPool.ts'
import { moveKubelets } from './moveKubelet.ts'
import { AZURE_GROUP, CLASS_KIND, CORE_GROUP } from './names.ts'
import { deleteAt, refusal, type Target, targetsOf, valueAt } from './target.ts'

/** Metadata that the API server writes. An object that has it cannot be created again. */
const OF_THE_SERVER = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink']
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Kinds before v1beta1, and kinds of other clouds. */
const GONE: { readonly [kind: string]: string } = {
  Provisioner: 'Provisioners have no v1 form: write a NodePool, with the limits, requirements and taints of the Provisioner',
  Machine: 'Machines have no v1 form: they are NodeClaims now, which Joiner makes itself',
  AWSNodeTemplate: 'AWSNodeTemplates are for AWS: write an AKSNodeClass',
  EC2NodeClass: 'EC2NodeClasses are for AWS: write an AKSNodeClass',
}

/**
 * Converts the Karpenter objects of a YAML text to the versions that Joiner's definitions have: NodePools and NodeClaims of v1beta1 to v1, AKSNodeClasses of v1alpha2
 * to v1beta1. Other documents and comments stay. Fails with all reasons if anything has no such form.
 */
export function convertText(text: string): Result<string, readonly string[]> {
  const parsed = parseAllDocuments(text, KUBE_YAML)
  if ('empty' in parsed) return err(['the input has no YAML document'])
  const broken = parsed.flatMap(({ errors }) => errors.map(({ message }) => message))
  if (broken.length > 0) return err(broken)
  const documents = parsed.map(withoutAliases)
  const targets = documents.flatMap(targetsOf)
  const old = targets.filter(isOld)
  const refused = [
    ...targets.flatMap(refusalOf),
    ...old.filter(({ kind }) => kind === 'NodePool').flatMap(convertPool),
    ...old.filter(({ kind }) => kind === 'NodeClaim').flatMap((claim) => convertClaim(claim, (pool) => expiryOf(targets, pool))),
    ...old.filter(({ kind }) => kind === CLASS_KIND).flatMap(convertClass),
  ]
  if (refused.length > 0) return err(refused)
  const unmoved = moveKubelets(targets)
  if (unmoved.length > 0) return err(unmoved)
  for (const target of old) removeServerFields(target)
  const invalid = targets.filter(isOurs).flatMap(checkConverted)
  if (invalid.length > 0) return err(invalid)
  if (old.length === 0) return ok(text)
  return ok(documents.map((document, index) => printed(document, index > 0)).join(''))
}

function isOld({ apiVersion, kind }: Target): boolean {
  return kind === CLASS_KIND
    ? apiVersion === `${AZURE_GROUP}/v1alpha2`
    : apiVersion === `${CORE_GROUP}/v1beta1` && (kind === 'NodePool' || kind === 'NodeClaim')
}

function isOurs({ apiVersion, kind }: Target): boolean {
  const [group = ''] = apiVersion.split('/')
  return kind === CLASS_KIND ? group === AZURE_GROUP : group === CORE_GROUP && (kind === 'NodePool' || kind === 'NodeClaim')
}

/** Refuses kinds without a v1 form, and versions that are not known. */
function refusalOf(target: Target): readonly string[] {
  const { apiVersion, kind } = target
  const [group = ''] = apiVersion.split('/')
  if (!group.startsWith('karpenter.')) return []
  const gone = ownValue(GONE, kind)
  if (gone !== undefined) return [refusal(target, 'kind', gone)]
  const isNew = apiVersion === (kind === CLASS_KIND ? `${AZURE_GROUP}/v1beta1` : `${CORE_GROUP}/v1`)
  return isOurs(target) && !isNew && !isOld(target)
    ? [refusal(target, 'apiVersion', `${apiVersion} is not a known version of ${kind}`)]
    : []
}

/** NodePools are converted before NodeClaims, so `expireAfter` is where v1 has it. */
function expiryOf(targets: readonly Target[], pool: string): unknown {
  const found = targets.find(({ kind, name }) => kind === 'NodePool' && name === pool)
  return found === undefined ? undefined : (valueAt(found, 'spec', 'template', 'spec', 'expireAfter') ?? '720h')
}

function removeServerFields(target: Target): void {
  for (const name of OF_THE_SERVER) deleteAt(target, 'metadata', name)
  if (valueAt(target, 'metadata', 'annotations', LAST_APPLIED) !== undefined) deleteAt(target, 'metadata', 'annotations', LAST_APPLIED)
  deleteAt(target, 'status')
}

/** Writes aliases out: a change at one place must not change another. Comments of such a document are lost. */
function withoutAliases(document: Document<Node>): Document<Node> {
  let hasAlias = false
  visit(document, (_, node) => {
    if (isAlias(node)) hasAlias = true
  })
  if (hasAlias) document.contents = document.createNode(document.toJS(), { aliasDuplicateObjects: false })
  return document
}

function printed(document: Document<Node>, isNext: boolean): string {
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false })
  return isNext && !text.startsWith('---') ? `---\n${text}` : text
}
