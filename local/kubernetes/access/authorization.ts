import { forbidden, StatusError } from '../http/statusError.ts'
import { isSelfReview } from '../resources/reviewResources.ts'
import type { User } from './user.ts'

export interface ResourceRequest {
  readonly verb: string
  readonly group: string
  readonly plural: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
}

export interface PathRequest {
  readonly verb: string
  readonly path: string
}

/** Throws 403 if the user may not make the request. */
export type Authorizer = (user: User, request: ResourceRequest | PathRequest) => void

/** Reports whether a user may make a request. The reason of a refusal goes into the answer. */
export type Rule = (user: User, request: ResourceRequest | PathRequest) => { readonly allowed: boolean; readonly reason?: string }

/** Adds the rules that always hold: masters may do everything, and every authenticated user may ask for its own permissions. */
export function createJudge(rule: Rule): Rule {
  return (user, request) => {
    if (user.groups.includes('system:masters')) return { allowed: true }
    const known = user.groups.includes('system:authenticated')
    if (known && 'plural' in request && request.verb === 'create' && isSelfReview(request.group, request.plural)) return { allowed: true }
    return rule(user, request)
  }
}

export function createAuthorizer(judge: Rule): Authorizer {
  return (user, request) => {
    const answer = judge(user, request)
    if (!answer.allowed) throw refuse(user, request, answer.reason)
  }
}

function refuse(user: User, request: ResourceRequest | PathRequest, reason: string | undefined): StatusError {
  const because = reason === undefined ? '' : `: ${reason}`
  const who = `User ${JSON.stringify(user.name)}`
  if ('path' in request) {
    const message = `forbidden: ${who} cannot ${request.verb} path ${JSON.stringify(request.path)}${because}`
    return new StatusError({ code: 403, reason: 'Forbidden', message, details: {} })
  }
  const what = request.subresource === '' ? request.plural : `${request.plural}/${request.subresource}`
  const where = request.namespace === '' ? ' at the cluster scope' : ` in the namespace ${JSON.stringify(request.namespace)}`
  return forbidden(
    request,
    request.name,
    `${who} cannot ${request.verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(request.group)}${where}${because}`,
  )
}
