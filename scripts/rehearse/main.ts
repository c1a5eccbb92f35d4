// npm run rehearse: plays an installation of Joiner from `azd up` to `azd down`, without Azure. The exit code is 1 if a step fails.
import { Command, Option } from 'commander'
import { HAS_BUILT_IN_ROLES } from '../../infra/rights/builtInRoles.ts'
import { unusedData } from './dataRights.ts'
import { uncalled } from './deployerRights.ts'
import { rehearse } from './rehearse.ts'
import { makeReleaseParts } from './releaseParts.ts'
import { createReport } from './report.ts'
import { MODES, type Mode } from './templates.ts'

type Options = { readonly network?: Mode; readonly release?: string }

const { network, release: made } = new Command()
  .name('npm run rehearse --')
  .description('Plays azd up, a story and azd down on the local Azure and a real control plane.')
  .addOption(new Option('--network <mode>', 'one network mode instead of all').choices([...MODES]))
  .option('--release <folder>', 'a release that npm run release made, instead of one made now')
  .parse()
  .opts<Options>()

const from = Date.now()
const report = createReport((line) => console.log(line), Date.now)
const release = await makeReleaseParts(made)
const asked = { calls: new Set<string>(), data: new Set<string>() }
for (const mode of network === undefined ? MODES : [network]) {
  try {
    await rehearse(mode, release, report, asked)
  } catch {
    // The report has printed the failed step. The other modes still run.
    process.exitCode = 1
  }
}
release.close()
if (network === undefined && process.exitCode === undefined) {
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
