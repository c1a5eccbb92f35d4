import type { ResourceRequest, Rule } from '../access/authorization.ts'
import type { User } from '../access/user.ts'
import type { Reply } from '../http/reply.ts'
import { badRequest } from '../http/statusError.ts'
import { asText, isObject, type Json, type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'
import { apiVersionOf } from '../resources/resource.ts'
import { invalidObject, required } from '../schema/fieldError.ts'
import type { Target } from './api.ts'
import { admitFields } from './customFields.ts'
import { decodeObject } from './decode.ts'

/** The sources of the answers to reviews. */
export interface Judges {
  readonly judge: Rule
  /** Returns the rules that a user has in a namespace. Undefined if they cannot be listed as rules. */
  readonly rulesOf: (user: User, namespace: string) => readonly Json[] | undefined
}

/** POST of a review. The answer is in the status, and nothing is stored. */
export function answerReview(judges: Judges, target: Target, body: Json, user: User): Reply {
  const { resource, version } = target
  const { object } = admitFields(decodeObject(body, target), target, 'Ignore')
  const status = statusOf(judges, resource.kind, object, user)
  const spec = resource.kind === 'SelfSubjectReview' ? {} : { spec: objectAt(object, 'spec') }
  return {
    code: 201,
    body: {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource.group, version.name),
      metadata: { creationTimestamp: null },
      ...spec,
      status,
    },
  }
}

function statusOf(judges: Judges, kind: string, object: JsonObject, user: User): JsonObject {
  const spec = objectAt(object, 'spec')
  switch (kind) {
    case 'SelfSubjectReview':
      return { userInfo: { username: user.name, ...(user.uid === '' ? {} : { uid: user.uid }), groups: user.groups } }
    case 'SelfSubjectAccessReview':
      return verdict(judges.judge(user, requestOf(kind, spec)))
    case 'SubjectAccessReview':
      return verdict(judges.judge(subjectOf(spec), requestOf(kind, spec)))
    case 'SelfSubjectRulesReview':
      return rulesStatus(judges, spec, user)
    default:
      throw badRequest(`${kind} is not a review`)
  }
}

function verdict(found: ReturnType<Rule>): JsonObject {
  return { allowed: found.allowed, ...(found.reason === undefined ? {} : { reason: found.reason }) }
}

function subjectOf(spec: JsonObject): User {
  const name = textAt(spec, 'user')
  const groups = listAt(spec, 'groups').map(asText)
  if (name !== '' || groups.length > 0) return { name, uid: textAt(spec, 'uid'), groups }
  throw invalidObject('authorization.k8s.io', 'SubjectAccessReview', '', [
    required('spec.user', 'at least one of user or group must be specified'),
  ])
}

function requestOf(kind: string, spec: JsonObject): ResourceRequest | { readonly verb: string; readonly path: string } {
  const wanted = spec['resourceAttributes']
  const path = spec['nonResourceAttributes']
  if (isObject(wanted) === isObject(path)) {
    const message = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw invalidObject('authorization.k8s.io', kind, '', [required('spec.resourceAttributes', message)])
  }
  if (!isObject(wanted)) return { verb: textAt(path, 'verb'), path: textAt(path, 'path') }
  return {
    verb: textAt(wanted, 'verb'),
    group: textAt(wanted, 'group'),
    plural: textAt(wanted, 'resource'),
    subresource: textAt(wanted, 'subresource'),
    namespace: textAt(wanted, 'namespace'),
    name: textAt(wanted, 'name'),
    fieldSelector: textAt(wanted, 'fieldSelector', 'rawSelector'),
  }
}

function rulesStatus(judges: Judges, spec: JsonObject, user: User): JsonObject {
  const rules = judges.rulesOf(user, textAt(spec, 'namespace'))
  if (!rules) {
    const evaluationError = 'the rights of this user are not written as rules; ask for one with a SelfSubjectAccessReview'
    return { resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError }
  }
  return {
    resourceRules: rules.filter((rule) => listAt(rule, 'resources').length > 0),
    nonResourceRules: rules.filter((rule) => listAt(rule, 'nonResourceURLs').length > 0),
    incomplete: false,
  }
}
