import type { HostTrigger } from '../app/hostFunction.ts'

/** Functions whose instances are added and taken away together. */
export type Group = { readonly name: string; readonly functions: readonly HostTrigger[] }

export const HTTP_GROUP = 'http'

/** All functions in the groups of Flex Consumption: those behind HTTP, Event Grid's among them, as one group, and each other function alone. */
export function groupsOf(functions: readonly HostTrigger[]): readonly Group[] {
  const isHttp = ({ trigger }: HostTrigger) => trigger.kind === 'http' || trigger.kind === 'eventGrid'
  const alone = functions.filter((each) => !isHttp(each)).map((each) => ({ name: each.name, functions: [each] }))
  return [{ name: HTTP_GROUP, functions: functions.filter(isHttp) }, ...alone]
}

/** The settings by which the host of a group leaves out the functions of the others. */
export function onlyThese(group: Group, all: readonly HostTrigger[]): { readonly [name: string]: string } {
  const own = new Set(group.functions.map(({ name }) => name))
  return Object.fromEntries(all.filter(({ name }) => !own.has(name)).map(({ name }) => [`AzureWebJobs.${name}.Disabled`, 'true']))
}
