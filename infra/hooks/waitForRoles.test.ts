import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ArmAnswer } from '../../cli/armCall.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { epochMs } from '../../shared/model/units.ts'
import { runPostroles, runPredeploy } from './runRoleWaits.ts'
import { waitForAssignments, waitForDefinitions } from './waitForRoles.ts'

const START = Date.parse('2026-11-28T00:00:00Z')
const GROUP = '/subscriptions/s/resourceGroups/rg-joiner-dev'
const STORAGE = `${GROUP}/providers/Microsoft.Storage/storageAccounts/st`

/** `answer` gets the minutes since the start. The clock moves when a hook sleeps. */
function world(answer: (minutes: number, path: string) => ArmAnswer) {
  let now = START
  const asked: string[] = []
  const lines: string[] = []
  const clock = { now: () => epochMs(now), sleep: async (ms: number) => void (now += ms) }
  const arm = async ({ path }: { readonly path: string }): Promise<ArmAnswer> => {
    asked.push(path)
    return answer(minutes(), path)
  }
  const minutes = () => (now - START) / 60_000
  const web = () => Promise.reject(new Error('nobody is asked but ARM'))
  return { access: { arm, clock, web }, asked, lines, print: (line: string) => void lines.push(line), minutes }
}

const fine = (body: unknown): ArmAnswer => ({ status: 200, body, headers: {} })
const refused = (status: number): ArmAnswer => ({ status, body: { error: { code: 'No', message: 'not here' } }, headers: {} })
const made = (minutesAgo: number, id = ''): object => ({
  id,
  properties: { createdOn: new Date(START - minutesAgo * 60_000).toISOString() },
})
const assigned = (minutesAgo: number, scope = STORAGE): object =>
  made(minutesAgo, `${scope}/providers/Microsoft.Authorization/roleAssignments/a`)

describe('the wait for definitions', () => {
  it('asks once for each if all are old', async () => {
    const { access, asked, lines, print, minutes } = world(() => fine(made(10)))
    await waitForDefinitions(access, ['/a', '/b'], print)
    expect([asked, lines, minutes()]).toEqual([['/a', '/b'], [], 0])
  })

  it('is none where the roles are those of Azure', async () => {
    const { access, asked, print } = world(() => refused(404))
    await waitForDefinitions(access, [], print)
    expect(asked).toEqual([])
  })

  it.each([
    ['young', () => fine(made(1))],
    ['without a time', () => fine({ properties: {} })],
    ['with a time that is none', () => fine({ properties: { createdOn: 'today' } })],
  ])('looks for a minute at one that is %s', async (_, answer) => {
    const { access, asked, print, minutes } = world(answer)
    await waitForDefinitions(access, ['/a'], print)
    expect([asked.length, minutes()]).toEqual([12, 55 / 60])
  })

  it('begins again with each answer that does not know it', async () => {
    const { access, print, minutes } = world((at) => (at > 0.9 && at < 1 ? refused(404) : fine(made(0))))
    await waitForDefinitions(access, ['/a'], print)
    expect(minutes()).toBeCloseTo(1.9, 1)
  })

  it('ends after ten minutes, with the name and what to do', async () => {
    const { access, lines, print, minutes } = world((_, path) => (path === '/b' ? refused(404) : fine(made(1))))
    await expect(waitForDefinitions(access, ['/a', '/b'], print)).rejects.toThrow(
      'AZURE.FAILED   Azure does not show the role definition /b: 404 No: not here; run: azd up',
    )
    expect([minutes(), lines.length]).toEqual([10, 1])
  })

  it('does not wait for a right', async () => {
    const { access, asked, print } = world(() => refused(403))
    await expect(waitForDefinitions(access, ['/a'], print)).rejects.toThrow('403')
    expect(asked).toHaveLength(1)
  })
})

describe('the wait for assignments', () => {
  it.each([
    ['no assignment', [], 0],
    ['old ones', [assigned(10), assigned(90)], 0],
    ['one on a container', [assigned(30), assigned(4, `${STORAGE}/blobServices/default/containers/c`)], 6],
    ['ids in another case', [assigned(4, STORAGE.toUpperCase())], 6],
    ['young ones elsewhere', [assigned(0, GROUP), assigned(0, `${GROUP}/providers/Microsoft.Insights/components/c`)], 0],
    ['one that does not tell its time', [{ id: `${STORAGE}/x` }], 10],
    ['one of the future, where the clock here is slow', [assigned(-30)], 10],
  ])('with %s: %j takes %i minutes', async (_, value, expected) => {
    const { access, asked, lines, print, minutes } = world(() => fine({ value }))
    await waitForAssignments(access, GROUP, print)
    expect([minutes(), lines.length]).toEqual([expected, expected > 0 ? 1 : 0])
    expect(asked).toEqual([`${GROUP}/providers/Microsoft.Authorization/roleAssignments`])
  })

  it('fails where the assignments are not told', async () => {
    const { access, print } = world(() => refused(403))
    await expect(waitForAssignments(access, GROUP, print)).rejects.toThrow('403 No: not here')
  })
})

describe('the hooks that wait', () => {
  it.each([
    [runPostroles, { JOINER_ROLE_IDS: 'x' }, 'JOINER_ROLE_IDS of the environment: must be JSON'],
    [runPostroles, {}, 'JOINER_ROLE_IDS of the environment'],
    [runPredeploy, { AZURE_SUBSCRIPTION_ID: 's', AZURE_RESOURCE_GROUP: '' }, 'AZURE_RESOURCE_GROUP of the environment'],
  ])('name what azd does not give: %o', async (run, environment, words) => {
    const { access, print } = world(() => refused(404))
    await expect(run({ environment, access, print })).rejects.toThrow(words)
  })

  it('stand where roles are defined, and before the code is deployed', () => {
    type Layer = { readonly name: string; readonly hooks?: { readonly postprovision?: { readonly run: string } } }
    type Project = {
      readonly infra: { readonly layers: readonly Layer[] }
      readonly hooks: { readonly predeploy: { readonly run: string } }
      readonly workflows: { readonly up: { readonly steps: readonly { readonly azd: string }[] } }
    }
    const { infra, hooks, workflows }: Project = parse(readFileSync(join(repositoryRoot, 'azure.yaml'), 'utf8'))
    expect(infra.layers.find(({ name }) => name === 'roles')?.hooks?.postprovision?.run).toBe('hooks/postroles.ts')
    expect(hooks.predeploy.run).toBe('infra/hooks/predeploy.ts')
    expect(workflows.up.steps.map(({ azd }) => azd.split(' ').slice(0, 2).join(' '))).toEqual([
      'provision demo',
      'provision roles',
      'provision core',
      'deploy --all',
      'provision events',
    ])
  })
})
