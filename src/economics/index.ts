// What the other rooms may use of the economics.
export * from './break-even.js';
export * from './cache-model.js';
export * from './cold-odds.js';
export * from './cost.js';
export * from './decide.js';
export * from './eoq.js';
export { AS_OF, PRICE_TABLE, type PriceRow, type PriceTier } from './price-table.js';
export * from './prices.js';
export * from './remaining.js';
export * from './spending.js';
export * from './tariff.js';
export * from './triggers.js';
export * from './window.js';
