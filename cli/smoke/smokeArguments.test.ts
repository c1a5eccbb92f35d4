import { describe, expect, it } from 'vitest'
import { KIND_NAMES } from './kinds.ts'
import { readSmokeArguments, USAGE } from './smokeArguments.ts'

const ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/shop'

describe('the arguments of smoke', () => {
  it('name an environment, and a machine of the default kind is enough', () => {
    expect(readSmokeArguments(['--env', 'dev'], true)).toEqual({
      ok: true,
      value: { azdEnvironment: 'dev', kinds: ['default'], onlyRemove: false, yes: false, maxCost: 1 },
    })
    const more = ['--cluster', ID, '--kinds', 'arch,gpu,arch', '--max-cost', '2.50', '--out', 'a.json', '--yes']
    expect(readSmokeArguments(['--env', 'dev', ...more], false)).toMatchObject({
      value: { cluster: ID, kinds: ['arch', 'gpu'], out: 'a.json', yes: true, maxCost: 2.5 },
    })
    expect(readSmokeArguments(['--env', 'dev', '--resume', 'a.json', '--only-remove'], false)).toMatchObject({
      value: { resume: 'a.json', onlyRemove: true },
    })
  })

  it.each([
    [[], '--env is missing'],
    [['--env', 'dev', '--cluster', 'shop'], '--cluster shop is not the resource id'],
    [['--env', 'dev', '--kinds', 'arch,party'], '--kinds party is none of default, family'],
    [['--env', 'dev', '--kinds', ','], '--kinds , is none of'],
    [['--env', 'dev', '--yes', '--max-cost', 'much'], '--max-cost much is no number of dollars'],
    [['--env', 'dev', '--max-cost', '-1'], "Option '--max-cost' argument is ambiguous"],
    [['--env', 'dev', '--yes', '--max-cost', ''], '--max-cost  is no number'],
    [['--env', 'dev', '--resume', 'a', '--out', 'b'], '--out is for a new run'],
    [['--env', 'dev'], 'the terminal is not interactive: add --yes'],
    [['--party'], "Unknown option '--party'"],
  ])('%j are refused: %s', (args, why) => {
    expect(readSmokeArguments(args, false)).toEqual({ ok: false, error: expect.stringContaining(why) })
  })

  it('ask for help, which names every kind', () => {
    expect(readSmokeArguments(['--help'], false)).toEqual({ ok: true, value: 'help' })
    for (const kind of KIND_NAMES) expect(USAGE).toMatch(new RegExp(`^ {4}${kind} +\\S`, 'm'))
  })
})
