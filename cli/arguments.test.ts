import { parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readArguments } from './arguments.ts'

const ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/shop'
const OPTIONS = {
  cluster: { type: 'string', multiple: true },
  network: { type: 'string' },
  subscription: { type: 'string' },
  help: { type: 'boolean' },
} as const
const read = (...args: readonly string[]) => readArguments(() => parseArgs({ args: [...args], options: OPTIONS }))

describe('the arguments of preflight', () => {
  it('are clusters and wishes', () => {
    expect(read('--cluster', ID, '--cluster', `${ID}2`, '--network', 'vnet', '--subscription', 's')).toEqual({
      ok: true,
      value: { clusters: [ID, `${ID}2`], wishes: { network: 'vnet', subscriptionId: 's' } },
    })
    expect(read('--cluster', ID)).toEqual({ ok: true, value: { clusters: [ID], wishes: {} } })
  })

  it('ask for help', () => expect(read('--help', '--network', 'x')).toEqual({ ok: true, value: 'help' }))

  it.each([
    [[], '--cluster is missing'],
    [['--cluster', 'shop'], '--cluster shop is not the resource id'],
    [['--cluster', ID, '--network', 'internet'], '--network internet is none of public, vnet, private'],
    [['--clusters', ID], "Unknown option '--clusters'"],
    [['--cluster', ID, 'more'], 'more'],
  ])('%j are refused: %s', (args, why) => {
    const answer = read(...args)
    expect(answer).toEqual({ ok: false, error: expect.stringContaining(why) })
  })
})
