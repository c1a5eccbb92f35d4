import { describe, expect, it } from 'vitest'
import { areMachinesWritable, askMachineApi, newestVersion, tellMachineApi } from './machineApi.ts'

const MACHINE =
  '/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.ContainerService/managedClusters/{resourceName}/agentPools/{agentPoolName}/machines/{machineName}'
const READ = { paths: { [MACHINE]: { get: {} } } }
const WRITTEN = { paths: { [MACHINE]: { get: {}, put: {} } } }
const dir = (name: string) => ({ name, type: 'dir' })

/** GitHub with these folders, whose newest has this definition. */
function gitHub(names: readonly object[], spec: unknown) {
  const asked: string[] = []
  return {
    asked,
    ask: (url: string): Promise<unknown> => {
      asked.push(url)
      return Promise.resolve(url.includes('/contents/') ? names : spec)
    },
  }
}

describe('the newest stable version', () => {
  it('is the last by its date, and no preview', () => {
    expect(newestVersion(['2025-10-01', '2026-06-01', '2026-02-01', '2026-07-02-preview', 'readme.md'])).toBe('2026-06-01')
    expect(newestVersion(['examples'])).toBe(undefined)
  })
})

describe('machines of an agent pool', () => {
  it.each([
    ['can be written with PUT', WRITTEN, true],
    ['can be written with PATCH', { paths: { [MACHINE]: { patch: {} } } }, true],
    ['can only be read', READ, false],
    ['are not in the definition', { paths: { '/x': { put: {} } } }, undefined],
    ['are not known where there is no definition', 'sign in', undefined],
    ['are not the machines of another path', { paths: { [`${MACHINE}/start`]: { put: {} } } }, undefined],
  ])('%s', (_, spec, want) => expect(areMachinesWritable(spec)).toBe(want))

  it.each([
    [READ, 'machines of an agent pool can only be read in 2026-06-01, the newest stable', 0],
    [WRITTEN, 'machines of an agent pool can be WRITTEN in 2026-06-01', 1],
    [{ paths: {} }, 'NOT KNOWN: ', 2],
  ])('%j: %s', async (spec, line, code) => {
    const { ask, asked } = gitHub([dir('2026-02-01'), dir('2026-06-01'), { name: '2027-01-01', type: 'file' }], spec)
    expect(tellMachineApi(await askMachineApi(ask))).toEqual({ line: expect.stringContaining(line), code })
    expect(asked[1]).toMatch(/\/stable\/2026-06-01\/managedClusters\.json$/)
  })

  it('are not known where nobody answers, or nothing is listed', async () => {
    const offline = await askMachineApi(() => Promise.reject(new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') })))
    expect(tellMachineApi(offline)).toEqual({
      line: expect.stringMatching(/^NOT KNOWN: .*fetch failed: Error: getaddrinfo ENOTFOUND$/),
      code: 2,
    })
    expect(tellMachineApi(await askMachineApi(gitHub([], READ).ask))).toMatchObject({ code: 2 })
  })
})
