import type { KubeObject } from '../object/kubeObject.ts'
import { finalizersOf, isDeleting, nameOf, ownersOf } from '../object/kubeObject.ts'
import { type FieldError, forbiddenField, invalid, required } from '../schema/fieldError.ts'
import { LABEL_RULE, labelValueProblem, nameProblem, PATH_RULE, qualifiedNameProblem, SUBDOMAIN_RULE } from './nameRules.ts'
import type { Strategy } from './resource.ts'

const RULES = { subdomain: SUBDOMAIN_RULE, label: LABEL_RULE, path: PATH_RULE }

/** Checks the rules for the metadata of every object. Finalizers of custom resources may have no domain. */
export function validateMeta(object: KubeObject, strategy: Strategy, custom: boolean): FieldError[] {
  const errors: FieldError[] = []
  const name = nameOf(object)
  const problem = nameProblem(name, RULES[strategy.nameRule ?? 'subdomain'])
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'))
  else if (problem) errors.push(invalid('metadata.name', name, problem))
  for (const [key, value] of Object.entries(object.metadata.labels ?? {})) {
    const badKey = qualifiedNameProblem(key)
    if (badKey) errors.push(invalid('metadata.labels', key, badKey))
    const badValue = labelValueProblem(value)
    if (badValue) errors.push(invalid('metadata.labels', value, badValue))
  }
  for (const key of Object.keys(object.metadata.annotations ?? {})) {
    const badKey = qualifiedNameProblem(key.toLowerCase())
    if (badKey) errors.push(invalid('metadata.annotations', key, badKey))
  }
  return [...errors, ...ownerErrors(object), ...finalizerErrors(object, custom)]
}

function ownerErrors(object: KubeObject): FieldError[] {
  const errors = ownersOf(object).flatMap((owner, index) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((member) => (owner[member] ?? '') === '')
      .map((member) => invalid(`metadata.ownerReferences[${index}].${member}`, '', 'must not be empty')),
  )
  const controllers = ownersOf(object).filter((owner) => owner.controller === true)
  if (controllers.length > 1) errors.push(invalid('metadata.ownerReferences', null, 'Only one reference can have Controller set to true'))
  return errors
}

const PLAIN_FINALIZERS = ['kubernetes', 'customresourcecleanup.apiextensions.k8s.io', 'orphan', 'foregroundDeletion']

function finalizerErrors(object: KubeObject, custom: boolean): FieldError[] {
  return finalizersOf(object).flatMap((finalizer) => {
    const problem = qualifiedNameProblem(finalizer)
    if (problem) return [invalid('metadata.finalizers', finalizer, problem)]
    if (custom || finalizer.includes('/') || PLAIN_FINALIZERS.includes(finalizer)) return []
    return [invalid('metadata.finalizers', finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]
  })
}

/** Checks what an update may not change in the metadata. */
export function validateMetaUpdate(next: KubeObject, previous: KubeObject): FieldError[] {
  if (!isDeleting(previous)) return []
  const added = finalizersOf(next).filter((finalizer) => !finalizersOf(previous).includes(finalizer))
  if (added.length === 0) return []
  const list = `[]string{${added.map((item) => JSON.stringify(item)).join(', ')}}`
  return [
    forbiddenField('metadata.finalizers', `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`),
  ]
}
