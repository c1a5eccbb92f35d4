import { describe, expect, it } from 'vitest'
import { appAssignments } from '../../local/stack/appRoles.ts'
import { rolesOf } from './assignments.ts'
import { appResourceId, evaluateForStack, STACK } from './stackTemplate.ts'

describe('the local stack', () => {
  it('gives the app in Azure the roles of the template, each where the template assigns it', async () => {
    const evaluation = await evaluateForStack('custom')
    const app = appResourceId(evaluation)
    const { definitions, assignments } = rolesOf(evaluation)
    const titles = new Map(definitions.map(({ id, title }) => [id, title.replace(/^Joiner (.*) \w+$/, '$1')]))
    // Roles on resources of the app's own group are for data actions, which no ARM request needs.
    const own = assignments.filter(({ principalId, roleId }) => principalId === app && titles.has(roleId))
    const theirs = appAssignments(STACK).map(({ roleId, scope }) => `${roleId.replace('nodeGroup', 'node group')} ${scope}`.toLowerCase())
    expect(theirs.sort()).toEqual(own.map(({ roleId, scope }) => `${titles.get(roleId)} ${scope}`.toLowerCase()).sort())
    expect(theirs).toHaveLength(5)
  })
})
