/** @returns {boolean} whether the value is a JSON object, neither null nor an array */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
