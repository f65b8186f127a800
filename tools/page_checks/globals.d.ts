/** What pages' scripts find there: Vega's one function, and the shape of the data of plots. */

declare function vegaEmbed(element: Element, spec: object, options: object): Promise<unknown>;

interface Plots {
  panels: Record<string, { spec: { height?: unknown }; room: number }[]>;
  configs: { light: object; dark: object };
}
