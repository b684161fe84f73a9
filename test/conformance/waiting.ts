// Cases that the product does not pass yet, each with its reason. A listed case that passes fails the suite.

export const WAITING: Readonly<Record<string, string>> = {};
