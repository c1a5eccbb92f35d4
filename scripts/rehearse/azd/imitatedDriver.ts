import type { Json } from '../../../infra/check/evaluate/value.ts'
import { messageOf } from '../../../shared/base/result.ts'
import { withoutOutputs } from '../azdQuestions.ts'
import { asVariables, type Hook, type HookOutcome, runHook } from '../runHook.ts'
import { removeGroup } from '../takeDown.ts'
import { groupOf } from '../world/installation.ts'
import { type Driver, type DriverOptions, jsonIn, type Values, wishesOf } from './driver.ts'
import type { AzdOutcome } from './startAzd.ts'

// An imitation of azd, for machines where azd is not built: the steps of azure.yaml with the hooks, the templates and the package of the release.

/** A hook that failed. azd ends with it. */
class HookEnded extends Error {
  readonly outcome: AzdOutcome
  constructor(outcome: AzdOutcome) {
    super(`a hook ended with ${outcome.code}`)
    this.outcome = outcome
  }
}

export function createImitatedDriver(options: DriverOptions): Driver {
  const { world, place, templates, release } = options
  const { azure } = world
  const needed = { AZURE_ENV_NAME: world.environment, AZURE_LOCATION: azure.location, AZURE_SUBSCRIPTION_ID: azure.subscriptionId }
  let values: Values = { ...needed, ...wishesOf(options) }
  let outputs: { readonly [name: string]: Json } = {}

  async function hook(name: Hook): Promise<readonly string[]> {
    const { code, lines, set }: HookOutcome = await runHook({ world, internet: place.internet, hook: name, values })
    values = { ...values, ...set }
    if (code !== 0) throw new HookEnded({ code, lines })
    return lines
  }

  async function up(): Promise<readonly string[]> {
    const checked = await hook('preprovision')
    templates.requireNoQuestions('infra/main.bicep', values)
    values = { ...values, ...asVariables((await templates.defineRoles()).outputs) }
    await hook('postroles')
    const core = await templates.provision({
      clusters: jsonIn(values, 'JOINER_CLUSTER_FACTS'),
      healthTopicId: values['JOINER_FOUND_HEALTH_TOPIC_ID'] ?? '',
    })
    outputs = core.outputs
    values = { ...values, ...asVariables(outputs) }
    await hook('predeploy')
    await (await options.platform()).deploy(release)
    const installed = await hook('postdeploy')
    const events = await templates.subscribe(outputs)
    values = { ...values, ...asVariables(events.outputs) }
    return [...checked, ...installed]
  }

  async function down(): Promise<readonly string[]> {
    const group = { AZURE_RESOURCE_GROUP: values['AZURE_RESOURCE_GROUP'] ?? groupOf(world.environment) }
    const lines = await hook('predown')
    const isThere = azure.resources().some(({ name, type }) => type === GROUP && name === group.AZURE_RESOURCE_GROUP)
    const removed = isThere ? [await removeGroup(world, templates, group)] : []
    // azd deletes the layers in the opposite order, each with its outputs, and reads the parameters of the next.
    values = asVariables(withoutOutputs(values, outputs))
    templates.requireNoQuestions('infra/demo.bicep', values)
    await hook('postdown')
    return [...lines, ...removed]
  }

  return {
    name: 'imitation',
    values: () => values,
    async set(more) {
      values = { ...values, ...more }
      await Promise.resolve()
    },
    up: () => outcomeOf(up),
    upInTerminal: undefined,
    down: () => outcomeOf(down),
    close: () => Promise.resolve(),
  }
}

const GROUP = 'Microsoft.Resources/resourceGroups'

async function outcomeOf(run: () => Promise<readonly string[]>): Promise<AzdOutcome> {
  try {
    return { code: 0, lines: await run() }
  } catch (cause) {
    return cause instanceof HookEnded ? cause.outcome : { code: 1, lines: [messageOf(cause)] }
  }
}
