import type { IncomingHttpHeaders } from 'node:http'
import { badRequest } from '../http/statusError.ts'
import type { Authorizer } from './authorization.ts'
import type { User } from './user.ts'

/** Returns the user that a request acts as: the sender, or a user that the sender may impersonate. */
export function actingUser(user: User, headers: IncomingHttpHeaders, authorize: Authorizer): User {
  const name = textOf(headers['impersonate-user'])
  const uid = textOf(headers['impersonate-uid'])
  const groups = textOf(headers['impersonate-group'])
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')
  if (name === '' && (uid !== '' || groups.length > 0)) throw badRequest('a group or uid is impersonated without a user')
  if (name === '') return user
  const ask = (plural: string, wanted: string): void =>
    authorize(user, { verb: 'impersonate', group: '', plural, subresource: '', namespace: '', name: wanted, fieldSelector: '' })
  ask('users', name)
  for (const group of groups) ask('groups', group)
  return { name, uid, groups: [...new Set([...groups, 'system:authenticated'])] }
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header ?? []).join(',')
}
