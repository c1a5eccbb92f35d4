import { nameAndAge } from '../tables/builtinTables.ts'
import { METADATA_FIELDS } from './fieldSelector.ts'
import type { Resource } from './resource.ts'

const ACCESS_GROUP = 'authorization.k8s.io'
const IDENTITY_GROUP = 'authentication.k8s.io'

/** Questions about users and their permissions. They are answered at once and never stored. */
export const REVIEW_RESOURCES: readonly Resource[] = [
  review(ACCESS_GROUP, 'SelfSubjectAccessReview'),
  review(ACCESS_GROUP, 'SelfSubjectRulesReview'),
  review(ACCESS_GROUP, 'SubjectAccessReview'),
  review(IDENTITY_GROUP, 'SelfSubjectReview'),
]

function review(group: string, kind: string): Resource {
  const plural = `${kind.toLowerCase()}s`
  return {
    group,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: false,
    shortNames: [],
    categories: [],
    versions: [{ name: 'v1', table: nameAndAge }],
    storageVersion: 'v1',
    storedAs: `${plural}.${group}`,
    verbs: ['create'],
    subresources: [],
    selectableFields: METADATA_FIELDS,
    custom: false,
    returnsDeleted: false,
    strategy: {},
  }
}

export function isReview(resource: Resource): boolean {
  return resource.group === ACCESS_GROUP || resource.group === IDENTITY_GROUP
}

/** Reports whether a review is about the user that makes it. Everyone may make such reviews. */
export function isSelfReview(group: string, plural: string): boolean {
  return (group === ACCESS_GROUP || group === IDENTITY_GROUP) && plural.startsWith('selfsubject')
}
