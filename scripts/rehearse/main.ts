// npm run rehearse: plays an installation of Joiner from `azd up` to `azd down`, without Azure. The exit code is 1 if a step fails.
import { Command, Option } from 'commander'
import { HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import { unusedData } from './dataRights.ts'
import { uncalled } from './deployerRights.ts'
import type { Origin } from './rehearsal.ts'
import { rehearse } from './rehearse.ts'
import { makeReleaseParts } from './releaseParts.ts'
import { createReport } from './report.ts'
import { MODES, type Mode } from './templates.ts'

type Options = { readonly network?: Mode; readonly cluster?: Origin; readonly release?: string; readonly whole?: true }

const {
  network,
  cluster,
  release: made,
  whole = false,
} = new Command()
  .name('npm run rehearse --')
  .description('Plays azd up, a story and azd down on the local Azure and a real control plane.')
  .addOption(new Option('--network <mode>', 'one network mode instead of all').choices([...MODES]))
  .addOption(new Option('--cluster <origin>', 'an installation in a cluster of that origin only').choices(['existing', 'demo']))
  .option('--release <folder>', 'a release that npm run release made, instead of one made now')
  .option('--whole', 'also what one network mode stands for by default: migration, upgrade, a deleted group, a second environment')
  .parse()
  .opts<Options>()

const from = Date.now()
const report = createReport((line) => console.log(line), Date.now)
const release = await makeReleaseParts(made)
const asked = { calls: new Set<string>(), data: new Set<string>() }
const existing = (network === undefined ? MODES : [network]).map((mode) => ({ mode, origin: 'existing' as const }))
const demo = network === undefined ? [{ mode: 'public' as const, origin: 'demo' as const }] : []
for (const { mode, origin } of [...existing, ...demo].filter((each) => cluster === undefined || each.origin === cluster)) {
  try {
    await rehearse({ mode, origin, release, isWhole: whole && origin === 'existing' }, report, asked)
  } catch {
    // The report has printed the failed step. The other modes still run.
    process.exitCode = 1
  }
}
release.close()
if (network === undefined && cluster === undefined && process.exitCode === undefined) {
  await report
    .step('all', 'rights to data', async () => {
      const left = HAS_BUILT_IN_ROLES ? unusedData(asked.data) : []
      if (left.length > 0) throw new Error(`docs/rights.md lets the app do with data what it did not: ${left.join('; ')}`)
      return [
        HAS_BUILT_IN_ROLES ? `${asked.data.size} data actions, all that the page lists of blobs and queues` : 'skipped: no public data',
        undefined,
      ]
    })
    .catch(() => {
      process.exitCode = 1
    })
  await report
    .step('all', 'rights of the deployer', async () => {
      const left = uncalled(asked.calls)
      if (left.length > 0) throw new Error(`infra/rights/hookCalls.ts lists what no hook asked for: ${left.join('; ')}`)
      return ['the hooks asked for all that is listed of them', undefined]
    })
    .catch(() => {
      process.exitCode = 1
    })
}
console.log(`${report.summary()}, in ${Math.round((Date.now() - from) / 1000)} s`)
