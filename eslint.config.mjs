import js from "@eslint/js";

// Names that are not defined are found by tsc, which knows what a browser has.
export default [
  js.configs.recommended,
  { rules: { "no-undef": "off", eqeqeq: "error", "no-var": "error", "prefer-const": "error", "no-console": "error" } },
];
