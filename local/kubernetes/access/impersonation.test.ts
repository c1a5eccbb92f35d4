import { describe, expect, it } from 'vitest'
import { actingUser } from './impersonation.ts'
import type { User } from './user.ts'

const ADMIN: User = { name: 'admin', uid: 'u-1', groups: ['system:masters'] }

/** Returns the acting user, and the requests to the authorizer on the way. */
function acting(headers: Parameters<typeof actingUser>[1]) {
  const asked: string[] = []
  const user = actingUser(ADMIN, headers, (by, request) => {
    if ('plural' in request) asked.push(`${by.name} ${request.verb} ${request.plural}/${request.name}`)
  })
  return { user, asked }
}

describe('a request for somebody else', () => {
  it('is made as that user, in the groups that are named and that of all who are known', () => {
    const { user, asked } = acting({ 'impersonate-user': 'jane', 'impersonate-uid': 'u-2', 'impersonate-group': 'dev, ops' })
    expect(user).toEqual({ name: 'jane', uid: 'u-2', groups: ['dev', 'ops', 'system:authenticated'] })
    expect(asked).toEqual(['admin impersonate users/jane', 'admin impersonate groups/dev', 'admin impersonate groups/ops'])
  })

  it('names no group twice', () => {
    expect(acting({ 'impersonate-user': 'jane', 'impersonate-group': 'system:authenticated,dev,dev' }).user.groups).toEqual([
      'system:authenticated',
      'dev',
    ])
  })

  it('is refused where the authorizer refuses', () => {
    const refuse = (): never => {
      throw new Error('forbidden')
    }
    expect(() => actingUser(ADMIN, { 'impersonate-user': 'jane' }, refuse)).toThrow('forbidden')
  })

  it('is refused with a group or a uid alone', () => {
    for (const headers of [{ 'impersonate-group': 'dev' }, { 'impersonate-uid': 'u-2' }])
      expect(() => acting(headers)).toThrow('a group or uid is impersonated without a user')
  })

  it('without names is made by whoever sends it', () => expect(acting({})).toEqual({ user: ADMIN, asked: [] }))
})
