// npm run cost: prints the cost of an installation in a month at list prices.
import { Command, InvalidArgumentError, Option } from 'commander'
import { IDLE, LOAD, SCENARIOS, SMALL } from '../../cli/cost/scenarios.ts'
import type { Installation } from '../../cli/cost/usage.ts'
import { billText, type Section, summaryTable } from './table.ts'

const amount = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (text.trim() === '' || !(value >= least && value <= most))
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  return value
}

const command = new Command()
  .name('npm run cost --')
  .description('Prints what Joiner costs a month, in US dollars at list prices. Without options: the usual installations, idle.')
  .addOption(new Option('--size <size>', 'as the parameter of infra/main.bicep').choices(['small', 'fast']))
  .addOption(new Option('--network <mode>', 'as the parameter of infra/main.bicep').choices(['public', 'vnet', 'private']))
  .addOption(new Option('--memory <MB>', 'of an instance').choices(['512', '2048', '4096']))
  .option('--clusters <count>', 'clusters of the app', amount(1, 1_000))
  .option('--no-alerts', 'without alert rules')
  .option('--claims-a-day <count>', 'machines that come and go, in each cluster', amount(0, 1_000_000))
  .option('--posts-a-day <count>', 'posts of each shim beside those about machines', amount(0, 100_000_000))
  .option('--busy-hours-a-day <hours>', 'in which a machine comes or goes', amount(0, 24))
  .option('--telemetry-mb-a-day <MB>', 'logs of each cluster', amount(0, 1_000_000))
  .option('--load', `with load: ${LOAD.claimsADay} machines a day, busy ${LOAD.busyHoursADay} hours`)
  .option('--summary', 'the table of README')
  .parse()

type Given = {
  readonly size?: Installation['size']
  readonly network?: Installation['network']
  readonly memory?: string
  readonly clusters?: number
  readonly alerts: boolean
  readonly claimsADay?: number
  readonly postsADay?: number
  readonly busyHoursADay?: number
  readonly telemetryMbADay?: number
  readonly load?: true
  readonly summary?: true
}

const given = command.opts<Given>()
const bills = given.summary === true ? [summaryTable()] : sections(given).map(billText)
console.log(bills.map((lines) => lines.join('\n')).join('\n\n'))

function sections({ size, network, memory, load, alerts, ...counts }: Given): readonly Section[] {
  const usual = load === true ? LOAD : IDLE
  const volumes = {
    claimsADay: counts.claimsADay ?? usual.claimsADay,
    postsADay: counts.postsADay ?? usual.postsADay,
    busyHoursADay: counts.busyHoursADay ?? usual.busyHoursADay,
    telemetryMbADay: counts.telemetryMbADay ?? usual.telemetryMbADay,
  }
  const more = { alerts, clusters: counts.clusters ?? SMALL.clusters, instanceMemoryMB: Number(memory ?? SMALL.instanceMemoryMB) }
  if (size === undefined && network === undefined)
    return SCENARIOS.map(({ name, installation }) => ({ title: name, installation: { ...installation, ...more }, volumes }))
  const installation = { ...SMALL, ...more, size: size ?? SMALL.size, network: network ?? SMALL.network }
  return [{ title: `${installation.size}, ${installation.network}`, installation, volumes }]
}
