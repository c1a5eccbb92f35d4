import { beforeEach, describe, expect, it } from 'vitest'
import { type AccessCheck, createAccess } from './access.ts'
import { refusal } from './refusal.ts'

const GROUP = '/subscriptions/s/resourceGroups/g'
const VM = `${GROUP}/providers/Microsoft.Compute/virtualMachines/vm`
const READ = 'Microsoft.Compute/virtualMachines/read'
let access: AccessCheck

beforeEach(() => {
  access = createAccess()
  access.define({ id: 'reader', actions: ['Microsoft.Compute/virtualMachines/read'] })
  access.assign('one', { principalId: 'app', roleId: 'reader', scope: GROUP })
})

const may = (action: string, scope = VM, principal = 'app'): boolean =>
  access.judge(principal, { own: { action, scope }, linked: [] }).isGranted

describe('a role that is assigned', () => {
  it('holds for everything below, in either case, and nothing beside', () => {
    expect([may(READ), may(READ, VM.toUpperCase()), may(READ.toUpperCase()), may(READ, GROUP)]).toEqual([true, true, true, true])
    expect([may(READ, `${GROUP}2/providers/x`), may(READ, '/subscriptions/s'), may('Microsoft.Compute/virtualMachines/write')]).toEqual([
      false,
      false,
      false,
    ])
    expect(may(READ, VM, 'other')).toBe(false)
  })

  it('counts until it is taken back', () => {
    access.unassign('ONE')
    expect(may(READ)).toBe(false)
  })

  it('grants nothing while nobody says what it holds', () => {
    access.assign('two', { principalId: 'late', roleId: 'unknown', scope: GROUP })
    expect(may(READ, VM, 'late')).toBe(false)
  })

  it.each([
    ['*', 'Microsoft.Compute/virtualMachines/read', true],
    ['*/read', 'Microsoft.Compute/virtualMachines/read', true],
    ['*/read', 'Microsoft.Compute/virtualMachines/write', false],
    ['Microsoft.Compute/*', 'Microsoft.Compute/virtualMachines/start/action', true],
    ['Microsoft.Compute/virtualMachines/*', 'Microsoft.Compute/virtualMachineScaleSets/read', false],
    [
      'Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action',
      'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action',
      true,
    ],
    ['Microsoft.ManagedIdentity/userAssignedIdentities/*/assign/action', 'Microsoft.ManagedIdentity/userAssignedIdentities/write', false],
    ['Microsoft.Compute/disks/read', 'MicrosoftXCompute/disks/read', false],
  ])('with %s answers %s by %s', (pattern, action, expected) => {
    access.define({ id: 'reader', actions: [pattern] })
    expect(may(action)).toBe(expected)
  })

  it('does not grant what it takes out', () => {
    access.define({ id: 'reader', actions: ['*'], notActions: ['Microsoft.Authorization/*/Write'] })
    expect([may('Microsoft.Authorization/roleAssignments/read'), may('Microsoft.Authorization/roleAssignments/write')]).toEqual([
      true,
      false,
    ])
  })
})

describe('who may not', () => {
  const own = { action: READ, scope: VM }
  const linked = [
    { action: 'a/join/action', scope: '/a' },
    { action: 'b/join/action', scope: '/b' },
  ]
  const refused = (needed: Parameters<AccessCheck['judge']>[1]): unknown => {
    const verdict = access.judge('app', needed)
    return verdict.isGranted ? undefined : refusal('app', verdict)
  }

  it('is told the action and where', () => {
    expect(refused({ own: { action: 'x/write', scope: '/y' }, linked })).toEqual({
      status: 403,
      body: {
        error: {
          code: 'AuthorizationFailed',
          message:
            "The client 'app' with object id 'app' does not have authorization to perform action 'x/write' over scope '/y' or the scope is invalid. If access was recently granted, please refresh your credentials.",
        },
      },
    })
  })

  it('is told of all that is linked, once the request itself is granted', () => {
    expect(refused({ own, linked })).toEqual({
      status: 403,
      body: {
        error: {
          code: 'LinkedAuthorizationFailed',
          message: `The client 'app' with object id 'app' has permission to perform action '${READ}' on scope '${VM}'; however, it does not have permission to perform action(s) 'a/join/action,b/join/action' on the linked scope(s) '/a,/b' (respectively) or the linked scope(s) are invalid.`,
        },
      },
    })
  })

  it('is in the log, as is what was granted, each once', () => {
    refused({ own, linked })
    refused({ own, linked })
    expect(access.rows().map(({ action, isGranted }) => `${action} ${isGranted}`)).toEqual([
      `${READ} true`,
      'a/join/action false',
      'b/join/action false',
    ])
    access.forget()
    expect(access.rows()).toEqual([])
  })

  it('is in the log as withdrawn only for what an assignment granted that was deleted', () => {
    access.define({ id: 'reader', actions: [READ] })
    access.assign('gone', { principalId: 'late', roleId: 'reader', scope: VM })
    access.unassign('gone')
    for (const action of [READ, 'a/write']) access.judge('late', { own: { action, scope: VM }, linked: [] })
    access.judge('late', { own: { action: READ, scope: '/elsewhere' }, linked: [] })
    expect(access.rows().map(({ action, scope, isGranted, isWithdrawn }) => [action, scope, isGranted, isWithdrawn])).toEqual([
      [READ, VM, false, true],
      ['a/write', VM, false, false],
      [READ, '/elsewhere', false, false],
    ])
  })
})
